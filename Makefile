# OIP Conformance. `make help` lists the targets; README.md and CONTRIBUTING.md say what they are for.

BUILD    ?= build
SANITIZE ?=
FUZZ     ?=
COVERAGE ?=

ifeq ($(origin CC),default)
CC := gcc
CXX := g++
endif

# A build with sanitizers, or with counters of lines, has a folder of its own, so that all builds stay incremental.
ifeq ($(SANITIZE),thread)
O := $(BUILD)/thread
SANITIZER := -fsanitize=thread -fno-omit-frame-pointer
else ifneq ($(SANITIZE),)
O := $(BUILD)/sanitize
SANITIZER := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
else ifneq ($(FUZZ),)
O := $(BUILD)/fuzz
override CC := clang
override CXX := clang++
SANITIZER := -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize=vptr,function -fno-sanitize-recover=all -fno-omit-frame-pointer
else ifneq ($(COVERAGE),)
O := $(BUILD)/coverage
SANITIZER := --coverage -fprofile-update=atomic
override CFLAGS := -O0 -g
override CXXFLAGS := -O0 -g
else
O := $(BUILD)
SANITIZER :=
endif

WARNINGS := -Wall -Wextra -Wshadow -Wpointer-arith -Wcast-qual -Werror
CPPFLAGS += -D_GNU_SOURCE -Iproto -isystem $(O)/gen -MMD -MP
# -g1 gives backtraces lines and compiles a sixth faster than -g; for a debugger, make CFLAGS='-O0 -g' BUILD=build/debug.
# With sanitizers, -O2 takes twice the time to compile, and what a report shows is the same.
CFLAGS   ?= $(if $(SANITIZER),-O1,-O2) -g1
CXXFLAGS ?= $(CFLAGS)
# What a function does not use of its parameters has no name, as in C23.
C_ONLY   := -std=c17 $(WARNINGS) -Wno-c2x-extensions -Wstrict-prototypes -Wmissing-prototypes $(SANITIZER)
CXX_ONLY := -std=c++17 -DNDEBUG=1 $(WARNINGS) -fno-exceptions $(SANITIZER)
# gold takes a quarter of the time of ld, which counts for a hundred programs of tests; with clang's sanitizers it warns.
LDFLAGS  += $(SANITIZER) -pthread $(if $(FUZZ),,$(if $(shell command -v ld.gold),-fuse-ld=gold))

# The build prints short lines; V=1 shows the commands.
V ?=
Q := $(if $(V),,@)
say = @$(if $(V),:,printf '  %-5s %s\n')

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules
ifeq ($(filter -j%,$(MAKEFLAGS)),)
MAKEFLAGS += -j$(shell nproc)
endif

# --- Libraries: ci/install-deps installs them if one is missing --------------------------------------------------------

needs-libraries := $(filter-out help clean format static wheel elsewhere,$(or $(MAKECMDGOALS),help))
ifneq ($(needs-libraries),)
judge-alone := $(if $(filter-out judge install-judge,$(needs-libraries)),,--judge)
ifneq ($(shell ci/have-deps $(judge-alone) && echo yes),yes)
$(info Some libraries are missing: running ci/install-deps $(judge-alone))
ifneq ($(shell ci/install-deps $(judge-alone) >&2 && echo yes),yes)
$(error ci/install-deps failed; what it printed above says what to install)
endif
endif
endif

proto_libs     := -lprotobuf-c -lprotobuf -lstdc++
server_libs    := -lcivetweb -lssl -lcrypto -lnghttp2 -ldnnl -lgomp -lz $(proto_libs) -lm
conformance_libs := -lcurl -lyaml -lhttp_parser -lnghttp2 -lssl -lcrypto -lcjson -lz $(proto_libs) -lm

# --- Sources -----------------------------------------------------------------------------------------------------------

schemas := inference.proto model_config.proto trtis_v1.proto grpc/health/v1/health.proto \
           grpc/reflection/v1/reflection.proto grpc/reflection/v1alpha/reflection.proto
sources  = $(shell find $(1) \( -name tests -o -name fuzz -o -name bench -o -name shim \) -prune -o -name '*.c' -print -o -name '*.cc' -print | sort)
objects  = $(patsubst %,$(O)/obj/%.o,$(1))
proto_objects       := $(call objects,$(call sources,proto)) $(call objects,$(addprefix gen/,$(schemas:.proto=.pb-c.c) v1.pb-c.c v2.pb-c.c))
server_objects      := $(call objects,$(call sources,reference-server)) $(O)/obj/gen/onnx.pb-c.c.o
conformance_objects := $(call objects,$(call sources,conformance))

# --- Generated: protobuf-c structs and descriptors ---------------------------------------------------------------------
# schemas: the published ones, for descriptors; schemas.desc has all of them as the server shows them by reflection.
# v2, v1: the messages of inference and trtis_v1 as request structs; every string becomes bytes, because protobuf-c ends
# strings at a NUL, and every map becomes a list of entries.
# onnx: the format of models, for the server. text: the schemas whose text form is read, for libprotobuf.

generated := $(addprefix $(O)/gen/,$(schemas:.proto=.pb-c.h) v1.pb-c.h v2.pb-c.h text.desc)

$(addprefix $(O)/gen/,$(schemas)): $(O)/gen/%.proto: proto/schema/%.proto
	@mkdir -p $(@D)
	$(Q)cp $< $@
$(O)/gen/v2.proto: proto/schema/inference.proto proto/schema/structs.awk
	@mkdir -p $(@D)
	$(Q)awk -v package=v2 -f proto/schema/structs.awk $< > $@
$(O)/gen/v1.proto: proto/schema/trtis_v1.proto proto/schema/structs.awk
	@mkdir -p $(@D)
	$(Q)awk -v package=v1 -f proto/schema/structs.awk $< > $@
$(O)/gen/onnx.proto: /usr/include/onnx/onnx.proto
	@mkdir -p $(@D)
	$(Q)cp $< $@
$(O)/gen/%.pb-c.c $(O)/gen/%.pb-c.h: $(O)/gen/%.proto | $(O)/gen/model_config.proto
	$(say) GEN $@
	$(Q)protoc-c -I$(O)/gen -I/usr/include --c_out=$(O)/gen $<
$(O)/gen/text.desc: proto/schema/model_config.proto proto/schema/trtis_v1.proto
	@mkdir -p $(@D)
	$(Q)protoc -Iproto/schema -o $@ $^
$(O)/obj/proto/text/schema.cc.o: $(O)/gen/text.desc # it lies inside the programs
$(O)/gen/schemas.desc: $(addprefix proto/schema/,$(schemas))
	@mkdir -p $(@D)
	$(Q)protoc -Iproto/schema --include_imports -o $@ $(schemas)
$(O)/obj/reference-server/monitoring/descriptors.cc.o: $(O)/gen/schemas.desc
server_generated := $(O)/gen/onnx.pb-c.h

$(O)/obj/gen/%.c.o: $(O)/gen/%.c | $(generated)
	@mkdir -p $(@D)
	$(say) CC $<
	$(Q)$(CC) -std=c17 $(SANITIZER) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

# --- Objects, libraries, programs --------------------------------------------------------------------------------------

$(O)/obj/proto/%: CPPFLAGS += -I$(O)/gen
$(O)/obj/reference-server/%: CPPFLAGS += -Ireference-server -I$(O)/gen
$(O)/obj/conformance/%: CPPFLAGS += -Iconformance -I$(O)/gen
# Tests run for less time than it would take to optimize them.
$(foreach part,proto reference-server conformance,$(O)/obj/$(part)/tests/%): CFLAGS := -O0 -g1
$(O)/obj/%.c.o: %.c | $(generated)
	@mkdir -p $(@D)
	$(say) CC $<
	$(Q)$(CC) $(C_ONLY) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<
ifneq ($(SANITIZE),thread) # which does not see how OpenMP's threads wait for each other
$(O)/obj/reference-server/engine/team.c.o: CFLAGS += $(if $(findstring Free Software,$(shell $(CC) --version)),-fopenmp)
endif
$(O)/obj/%.cc.o: %.cc | $(generated)
	@mkdir -p $(@D)
	$(say) CXX $<
	$(Q)$(CXX) $(CXX_ONLY) $(CPPFLAGS) $(CXXFLAGS) -c -o $@ $<

$(O)/obj/conformance/report/html.c.o: conformance/report/page.css # it lies inside the program
$(O)/obj/conformance/suite/grammar.c.o: conformance/suite/case.schema.json
# The fixtures inside the judge (support/inside.c), in the order in which it walks through folders.
list_fixtures := find fixtures -type f ! -path '*/.*' ! -name '*.py' ! -name '*.mk'
$(O)/gen/fixtures.tar.gz: $(shell $(list_fixtures) | sed 's/ /\\ /g')
	@mkdir -p $(@D)
	$(say) PACK $@
	$(Q)$(list_fixtures) -printf '%P\n' | tr / '\001' | LC_ALL=C sort | tr '\001' / | \
	    tar -c --format=ustar --owner=0 --group=0 --mode=0644 --mtime=@0 -C fixtures -T - | gzip -9n > $@
$(O)/obj/conformance/support/inside.c.o: $(O)/gen/fixtures.tar.gz
$(O)/obj/conformance/commands/compare/matrix.c.o: conformance/report/page.css conformance/commands/compare/matrix.css
$(O)/obj/conformance/commands/explain/book.c.o: conformance/report/page.css conformance/commands/explain/book.css

archive = $(Q)rm -f $@; $(AR) rcs $@ $^
$(O)/libproto.a: $(proto_objects)
	$(archive)
$(O)/libserver.a: $(filter-out %/main.c.o,$(server_objects))
	$(archive)
$(O)/libconformance.a: $(filter-out %/main.c.o,$(conformance_objects))
	$(archive)

# civetweb loads OpenSSL by these names; libssl.c says why they are made here. The program finds them beside itself.
tls_shims := $(O)/lib/libssl.so $(O)/lib/libcrypto.so
$(O)/lib/libssl.so: reference-server/civetweb/shim/libssl.c
	@mkdir -p $(@D)
	$(Q)$(CC) -std=c17 -fPIC -shared -Wl,-soname,$(@F) -Wl,--no-as-needed -o $@ $< -lssl
$(O)/lib/libcrypto.so:
	@mkdir -p $(@D)
	$(Q)$(CC) -shared -Wl,-soname,$(@F) -Wl,--no-as-needed -o $@ -x c /dev/null -lcrypto

$(O)/oip-reference-server: $(O)/obj/reference-server/main.c.o $(O)/libserver.a $(O)/libproto.a | $(tls_shims)
	$(say) LINK $@
	$(Q)$(CC) $(LDFLAGS) -Wl,-rpath,'$$ORIGIN/lib:$$ORIGIN/../lib/oip-conformance' -o $@ $^ $(server_libs) -Wl,--no-as-needed $(tls_shims)
$(O)/oip-conformance: $(O)/obj/conformance/main.c.o $(O)/libconformance.a $(O)/libproto.a
	$(say) LINK $@
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(conformance_libs)

# --- Programs of one file: unit tests (cmocka), fuzz targets (libFuzzer), floors of benchmarks --------------------------

parts          := proto reference-server conformance
programs_of     = $(patsubst %.c,$(O)/%,$(sort $(wildcard $(addsuffix /$(1),$(parts)))))
unit_programs  := $(call programs_of,tests/test_*.c)
FUZZ_PARTS     ?= $(parts)
fuzz_programs  := $(filter $(addprefix $(O)/,$(addsuffix /%,$(FUZZ_PARTS))),$(call programs_of,fuzz/fuzz_*.c))
bench_programs := $(call programs_of,bench/*.c)
small_programs := $(unit_programs) $(fuzz_programs) $(bench_programs)

$(filter $(O)/reference-server/%,$(small_programs)): $(O)/libserver.a
$(filter $(O)/conformance/%,$(small_programs)): $(O)/libconformance.a
$(O)/proto/%: libraries = $(proto_libs) -lm
$(O)/reference-server/%: libraries = $(server_libs) -lgrpc -lgpr -lhttp_parser
$(O)/conformance/%: libraries = $(conformance_libs)
$(server_objects) $(patsubst $(O)/%,$(O)/obj/%.c.o,$(filter $(O)/reference-server/%,$(small_programs))): | $(server_generated)
# The main function of unit tests.
$(O)/libunit.a: $(O)/obj/proto/tests/unit.c.o
	$(archive)
$(unit_programs): $(O)/libunit.a
$(unit_programs): framework := -lcmocka
$(patsubst $(O)/%,$(O)/obj/%.c.o,$(unit_programs)): CFLAGS += -Wno-deprecated-declarations # cmocka 2 gives up assert_in_range
$(fuzz_programs): framework := -fsanitize=fuzzer
$(patsubst $(O)/%,$(O)/obj/%.c.o,$(fuzz_programs)): CFLAGS += -Wno-missing-prototypes # no header declares what libFuzzer calls

$(small_programs): $(O)/%: $(O)/obj/%.c.o $(O)/libproto.a
	@mkdir -p $(@D)
	$(say) LINK $@
	$(Q)$(CC) $(LDFLAGS) -o $@ $< $(filter-out %/libproto.a,$(filter %.a,$^)) $(O)/libproto.a $(framework) $(libraries)
.SECONDARY: $(patsubst $(O)/%,$(O)/obj/%.c.o,$(small_programs)) $(generated) $(server_generated)

unit-programs: $(unit_programs)
fuzz-targets: $(fuzz_programs)
.PHONY: unit-programs fuzz-targets

# --- The model kit -----------------------------------------------------------------------------------------------------

include fixtures/models/models.mk
include reference-server/deviations/deviations.mk

# --- Torture (ci/torture): allocations that fail, connections that break or garble, many deviations at once -------------------

$(O)/torture/memory.so: ci/torture/memory.c
	@mkdir -p $(@D)
	$(say) LINK $@
	$(Q)$(CC) -std=c17 $(WARNINGS) -D_GNU_SOURCE $(CFLAGS) -fPIC -shared -o $@ $<

-include $(shell find $(O)/obj -name '*.d' 2>/dev/null)

# --- What a person types -----------------------------------------------------------------------------------------------

programs := $(O)/oip-reference-server $(O)/oip-conformance

.PHONY: help all judge conformance serve check test test-all unit mutation deviants mutants coverage variants blind spec-check published interop bench check-models bench-models fuzz fuzz-corpus soak torture
.PHONY: lint format storm docs static image packages wheel elsewhere install install-judge clean
help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

all: $(programs) models ## build both programs and the model kit
judge: $(O)/oip-conformance ## build the judge alone, which needs fewer libraries

# A variable that a person gives without a value is an error: TARGET=$UNSET must not judge another server than the one
# that was meant.
ifneq ($(filter conformance,$(MAKECMDGOALS)),)
$(foreach name,TARGET GRPC GRAPHPIPE METRICS MODEL PROFILE,$(if $(filter command environment,$(origin $(name))),$(if $(strip $($(name))),,\
    $(error $(name) is given without a value: give one, or leave it out))))
endif

# The flags of the judge, made from the variables that a person types.
given = $(if $($(1)),--$(2) $($(1)))
flags := $(call given,TARGET,target) $(call given,GRPC,grpc) $(call given,GRAPHPIPE,graphpipe) \
         $(call given,METRICS,metrics) $(patsubst %,--model '%',$(MODEL)) $(call given,PROFILE,profile) \
         --junit reports/junit.xml --json reports/report.json --html reports/report.html $(ARGS)
target_given := $(TARGET)$(GRPC)$(GRAPHPIPE)
certified := $(if $(PROFILE)$(MODEL)$(ARGS),,--certified)

conformance: all ## judge TARGET=url, GRPC=host:port, GRAPHPIPE=url, MODEL='a b'; without an address, certify our own reference server
	@$(if $(target_given),:,echo "No TARGET, GRPC or GRAPHPIPE is given: our own reference server is judged."); \
	$(if $(target_given),$(O)/oip-conformance run,ci/self-conformance $(O) $(certified)) $(flags); code=$$?; \
	echo "oip-conformance: exit code $$code"; exit $$code

# An inference on a model of the kit, between quotes of the shell.
try := {\"inputs\": [{\"name\": \"INPUT0\", \"datatype\": \"FP32\", \"shape\": [1, 2], \"data\": [1.5, 2]}]}
serve: all ## run the reference server with the model kit: HTTP 8000, gRPC 8001, GraphPipe 9000
	@echo "Try an inference, and judge this server:"
	@echo "  curl -s http://127.0.0.1:8000/v2/models/identity_fp32/infer -d '$(try)'"
	@echo "  make conformance TARGET=http://127.0.0.1:8000 GRPC=127.0.0.1:8001 GRAPHPIPE=http://127.0.0.1:9000"
	$(O)/oip-reference-server --models $(O)/models/kit --models $(O)/models/batching --models $(O)/models/builtin \
	    --http 127.0.0.1:8000 --grpc 127.0.0.1:8001 --graphpipe 127.0.0.1:9000 --default-model simple $(ARGS)

check test test-all: all $(unit_programs)
test test-all: $(O)/torture/memory.so
check: ## the fast check: unit tests, lint of fixtures and of sources that differ from main's, one run against our own server
	+ci/test $(BUILD) check
test: ## unit tests, fixtures, conformance, mutation, clients, and the part of the long tests that the commit chooses
	+ci/test $(BUILD)
test-all: ## everything that must pass, with all long tests
	+ci/test $(BUILD) all

unit: $(filter $(O)/$(DIR)%,$(unit_programs)) models ## only the unit tests; DIR=proto for one part of the project
	@for t in $(or $(filter $(O)/$(DIR)%,$(unit_programs)),$(error DIR=$(DIR) is no part, folder or program with unit tests)); do $$t || exit 1; done

mutation: all ## play the suite against each deviation: it must notice every broken requirement
	ci/mutation $(O) $(ARGS)

deviants: all ## judge each deviation as a whole server; ARGS='--file v2-rest --share 0.1', see `ci/deviants --help`
	ci/deviants $(O) $(ARGS)

mutants: all ## edit the server's sources at random and play the suite; ARGS='--seed 7 --count 100', see `ci/mutants --help`
	ci/mutants $(O) $(ARGS)

coverage: all ## list the lines of the server that no case of the suite executes
	+$(MAKE) COVERAGE=1 BUILD=$(BUILD) $(BUILD)/coverage/oip-reference-server models
	ci/coverage $(O) $(ARGS)

blind: all ## judge servers on which one endpoint is missing, fails, or never answers: it must not hide others; ARGS='GLOB ...' for some
	conformance/tests/test_blind.py $(O) $(or $(ARGS),'*')

variants: all ## judge correct but unusual servers, which must pass, and wrong ones, which must fail; ARGS='NAME ...' for some
	conformance/tests/test_variants.py $(O) $(or $(ARGS),'*')

published: all ## judge the published servers again, from their recordings: docs/published.md
	ci/published $(O)

interop: all ## run real clients against our server, and our judge against real servers (PyPI and Go packages, installed once)
	ci/interop/run $(O)

bench: all $(bench_programs) ## measure request rates and processor time, as ratios to the simplest servers: docs/performance.md
	reference-server/bench/run $(O)

check-models bench-models: $(O)/reference-server/bench/engine
check-models: $(programs) ## compare results of the engine and the server with onnxruntime's, for models of torchvision and scikit-learn, and random graphs; ARGS='NAME ...' for some models
	$(if $(ARGS),,ci/models/compare $(O) graphs 500)
	ci/models/compare $(O) check $(ARGS)
	ci/models/compare $(O) served $(ARGS)
bench-models: ## compare the engine's processor time with onnxruntime's; ARGS='NAME ...' for some
	ci/models/compare $(O) bench $(ARGS)

FUZZ_SECONDS ?= 10
FUZZ_LIMIT   ?= -max_total_time=$(FUZZ_SECONDS)
fuzz: ## fuzz every parser for FUZZ_SECONDS each; FUZZ_PARTS=proto for one part of the project
	+$(MAKE) FUZZ=1 fuzz-targets
	ci/fuzz $(BUILD)/fuzz "$(FUZZ_PARTS)" $(FUZZ_LIMIT)
fuzz-corpus: ## write the seeds of the fuzz targets again, with what `make fuzz` found, as few as reach the same code
	+$(MAKE) FUZZ=1 fuzz-targets
	ci/fuzz-corpus $(BUILD)/fuzz "$(FUZZ_PARTS)"

MINUTES ?= 10
soak: all ## put a mixed load on one server for MINUTES: statistics must be exact, memory must stay flat
	ci/torture/soak --figures --seconds $$(( $(MINUTES) * 60 )) $(O)

SOAK ?= 600
torture: all $(O)/torture/memory.so ## failing allocations, broken connections, enlarged requests; for SOAK seconds each a garbling target, many deviations and a mixed load
	ci/torture/run $(O) $(SOAK)

ROUNDS ?= 30
storm: ## load, unload and infer at once, under the sanitizers; ROUNDS=300 for longer
	+$(MAKE) SANITIZE=thread BUILD=$(BUILD) models $(addprefix $(BUILD)/thread/reference-server/tests/,test_storm test_orders)
	$(BUILD)/thread/reference-server/tests/test_orders
	ROUNDS=$(ROUNDS) $(BUILD)/thread/reference-server/tests/test_storm
	+$(MAKE) SANITIZE=1 BUILD=$(BUILD) $(BUILD)/sanitize/oip-reference-server models
	reference-server/tests/test_storm_wire $(BUILD)/sanitize $(ROUNDS)

FILES ?= $(shell git ls-files '*.c' '*.h' '*.cc' 2>/dev/null)
lint: $(generated) $(server_generated) ## clang-format, clang-tidy and cppcheck must be quiet; FILES='a.c b.c' for these only
	@ci/lint $(O) $(FILES)

format: ## format the sources, or FILES
	clang-format -i $(FILES)

spec-check: $(O)/oip-conformance ## show what changed in FILE, an edition of a document, and which requirements this affects; TEXT=000 names it
	@$(if $(FILE),,echo "spec-check: FILE=... names an edition of a document" >&2; exit 2;) \
	$(O)/oip-conformance spec-check $(if $(TEXT),--text $(TEXT)) $(FILE); code=$$?; \
	echo "oip-conformance: exit code $$code"; exit $$code

docs: $(O)/oip-conformance ## write all guides, requirements and cases as a book: build/docs/book.html and book.md
	@mkdir -p $(O)/docs
	$(O)/oip-conformance book --html $(O)/docs/book.html --markdown $(O)/docs/book.md

STATIC ?= x86_64 aarch64
static: ## build dist/oip-conformance-linux-ARCH, the judge as one static program; needs root, debootstrap and the network; STATIC=x86_64 for one
	+$(foreach arch,$(STATIC),ci/chroot bookworm 'ci/static $(arch)' &&) true

ELSEWHERE ?= trixie sid
elsewhere: ## build and judge our server on other distributions, in chroots; needs root, debootstrap and the network; ELSEWHERE=sid for one
	+$(foreach suite,$(ELSEWHERE),ci/chroot $(suite) 'ci/install-deps && make all unit-programs && make conformance && make unit' &&) true

image: all ## write container images into dist: the judge's from the programs of `make static`, and the reference server's
	+$(MAKE) -s install BUILD=$(BUILD) DESTDIR=$(O)/image PREFIX=/usr
	ci/image dist
	ci/image dist $(O)/image

packages: judge ## write .deb, .rpm and .apk from the programs of `make static` into dist; needs Go
	ci/packages dist $(O)

wheel: ## write wheels from the programs of `make static` into dist; STATIC=x86_64 for one
	@$(foreach arch,$(STATIC),python/build-wheel $(arch) &&) true

# What is installed of a program: itself, its manual page, how shells complete its command line, the licence and notices.
PREFIX ?= /usr/local
into := $(DESTDIR)$(PREFIX)
define install-program
	install -d $(into)/bin $(into)/share/man/man1 $(into)/share/bash-completion/completions $(into)/share/zsh/site-functions \
	    $(into)/share/fish/vendor_completions.d $(into)/share/doc/oip-conformance
	install -s $(O)/$(1) $(into)/bin
	ci/manual man $(O)/$(1) > $(into)/share/man/man1/$(1).1
	ci/manual bash $(O)/$(1) > $(into)/share/bash-completion/completions/$(1)
	ci/manual zsh $(O)/$(1) > $(into)/share/zsh/site-functions/_$(1)
	ci/manual fish $(O)/$(1) > $(into)/share/fish/vendor_completions.d/$(1).fish
	install -m 644 LICENSE NOTICE $(into)/share/doc/oip-conformance
endef
install-judge: judge ## install only the judge below PREFIX (/usr/local): it needs no other file
	$(call install-program,oip-conformance)
install: all install-judge ## install both programs, the fixtures and the model kit below PREFIX (/usr/local)
	$(call install-program,oip-reference-server)
	install -d $(into)/lib/oip-conformance $(into)/share/oip-conformance/proto/schema
	install -s $(tls_shims) $(into)/lib/oip-conformance
	cp -r fixtures $(O)/models $(into)/share/oip-conformance
	cd proto/schema && find . -name '*.proto' -exec cp --parents {} $(abspath $(into))/share/oip-conformance/proto/schema \;

clean: ## remove what was built
	rm -rf $(BUILD)
