# Builds the deviations into the program as text: each line of fixtures/deviations/*.json becomes a C string.

deviation_files := $(sort $(wildcard fixtures/deviations/*.json))

$(O)/gen/deviations.inc: $(deviation_files) reference-server/deviations/deviations.mk
	@mkdir -p $(@D)
	$(say) GEN $@
	$(Q)for f in $(deviation_files); do \
	    printf '{ "%s",\n' "$$f"; sed -e 's/\\/\\\\/g; s/"/\\"/g; s/.*/"&\\n"/' "$$f"; printf '},\n'; \
	done > $@

$(O)/obj/reference-server/deviations/deviations.c.o: $(O)/gen/deviations.inc
