# Makes one object of the registry and all deviations, {"fixtures/encodings.json": {...}, "fixtures/deviations/NAME.json": {...}, ...},
# which lies inside the program.

deviation_files := fixtures/encodings.json $(sort $(wildcard fixtures/deviations/*.json))

$(O)/gen/deviations.json: $(deviation_files) reference-server/deviations/deviations.mk
	@mkdir -p $(@D)
	$(say) GEN $@
	$(Q){ before='{'; for f in $(deviation_files); do printf '%s"%s": ' "$$before" "$$f"; cat "$$f"; before=','; done; echo '}'; } > $@

$(O)/obj/reference-server/deviations/deviations.c.o: $(O)/gen/deviations.json
