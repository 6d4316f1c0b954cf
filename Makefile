# `make help` lists the targets.

PREFIX ?= /usr/local
INCLUDEDIR ?= $(PREFIX)/include
LIBDIR ?= $(PREFIX)/lib
BINDIR ?= $(PREFIX)/bin
MANDIR ?= $(PREFIX)/share/man
DATADIR ?= $(PREFIX)/share
SWIFTDIR ?= $(DATADIR)/libjacquard-swift
ZSHDIR ?= $(DATADIR)/zsh/site-functions
FISHDIR ?= $(DATADIR)/fish/vendor_completions.d
USERUNITDIR ?= $(PREFIX)/lib/systemd/user
UNITDIR ?= $(PREFIX)/lib/systemd/system
DESTDIR ?=
CC ?= cc
CFLAGS ?= -O2 -g -Wall -Wextra
PARTS ?= library tools swift
# Debian's Python, so that its packages (pytest, cffi, rich) are found even if another Python comes first in PATH.
export PYTHON ?= /usr/bin/python3
# The directory of Debian's Python for PREFIX=/usr/local.
PYTHONDIR ?= $(PREFIX)/lib/$(shell $(PYTHON) -c 'import sys; print("python%d.%d" % sys.version_info[:2])')/dist-packages

# For the software tag: see Package.swift. The Debian source contains this folder.
export JACQUARD_SIMULATOR := $(or $(wildcard swift-argument-parser),download)

# The architecture to build for, by Debian's name, for `all`, `wheel`, `install` and `deb`. Files for another
# architecture have a separate directory and are built in a separate Debian: see debian/cross.
# An ARCH from the environment is ignored, because it has other meanings.
MACHINE := $(shell dpkg --print-architecture 2>/dev/null)
ifneq ($(origin ARCH),command line)
  ARCH := $(MACHINE)
endif
export ARCH
ifeq ($(ARCH),$(MACHINE))
  BUILD := build
  SCRATCH := .build
  SWIFT := swift build
  STRIP ?= strip
  BUILD_PACKAGES := dpkg-buildpackage
  DEPENDENCIES := build
  PACKAGING := deb
else
  BUILD := build/$(ARCH)
  SCRATCH := .build-$(ARCH)
  SWIFT := debian/cross/swift $(ARCH) build
  STRIP ?= debian/cross/run $(ARCH) llvm-objcopy
  BUILD_PACKAGES := $(CURDIR)/debian/cross/package $(ARCH)
  DEPENDENCIES := cross
  PACKAGING := cross
endif
# The emulator for programs of that architecture; empty if this machine can run them.
EMULATOR ?=

VERSION := $(shell sed -n 's/^\#define JACQUARD_VERSION_\(MAJOR\|MINOR\|PATCH\) //p' include/jacquard.h | paste -sd.)
SONAME := libjacquard.so.1
include tools/release/settings
LIBRARY := $(BUILD)/lib/$(SONAME).$(VERSION)
SIMULATOR := $(BUILD)/bin/jacquard-sim
SERVICE := $(BUILD)/bin/jacquardd
# Both before they are stripped. With KEEP_SYMBOLS these are installed, because package builders strip them.
UNSTRIPPED := $(BUILD)/symbols
INSTALLED_LIBRARY := $(if $(KEEP_SYMBOLS),$(UNSTRIPPED)/$(notdir $(LIBRARY)),$(LIBRARY))
INSTALLED_SIMULATOR := $(if $(KEEP_SYMBOLS),$(UNSTRIPPED)/$(notdir $(SIMULATOR)),$(SIMULATOR))

EXPORTS := Sources/JacquardABI/exports
PUBLIC_HEADERS := include/jacquard.h $(wildcard include/jacquard/*.h)
HOT_PATH := Sources/JacquardABI/hot-path
SOURCES := Package.swift $(EXPORTS) $(HOT_PATH) $(wildcard Sources/JacquardABI/link/*) $(PUBLIC_HEADERS) \
  include/module.modulemap $(shell find Sources -name '*.swift' -o -name '*.h' -o -name '*.modulemap')
# The Swift runtime is linked in statically, so that the library can be installed without Swift.
# Exclusivity of access is checked at run time in debug builds and their tests; in release builds it would cost a tenth
# of the time of each notification, and abort the host program.
# Nothing in the binaries depends on the location of the source directory (see Tests/System/reproducible): paths are
# relative to it, and neither hashes for incremental builds nor the names of cached Clang modules, which contain it, are
# included. Swift writes sources that it generates to TMPDIR, if it can, and names them in debug information.
SWIFT_BUILD := mkdir -p $(SCRATCH)/temporary && TMPDIR=$(CURDIR)/$(SCRATCH)/temporary \
  $(SWIFT) --configuration release -Xswiftc -static-stdlib --disable-local-rpath \
  -Xswiftc -enforce-exclusivity=unchecked -Xswiftc -file-prefix-map -Xswiftc $(CURDIR)=. \
  -Xcc -ffile-prefix-map=$(CURDIR)=. \
  $(addprefix -Xswiftc -Xfrontend -Xswiftc ,-disable-incremental-llvm-codegen -no-clang-module-breadcrumbs)

# The last generated file of the comparison with SwiftProtobuf, which is a package of its own.
ORACLE_TYPES := Tests/Search/oracle/generated/Comparisons.swift
# The package for Swift programs, which pkg-config leads to the library of the build directory, and in it the package
# with the names of the iOS SDK, which needs another package.
SWIFT_PACKAGE := bindings/swift
SWIFT_FILES := $(shell cd $(SWIFT_PACKAGE) && \
  find -L Package.swift README.md Sources Tests examples sdk -type f -not -name Package.resolved)
SWIFT_BUILD_TESTS := PKG_CONFIG_PATH=$(CURDIR)/build/pkgconfig swift build --quiet --build-tests
# The program that uses the tag at the same time as one of these.
COMPANION := build/sharing/companion
# Programs that use every feature of the library, each with one tag; they share feature.c.
FEATURES := $(patsubst Tests/Interface/features/%.c,build/features/%,\
  $(filter-out %/feature.c,$(wildcard Tests/Interface/features/*.c)))
EXAMPLE = $(CC) -std=c99 -pedantic $(CFLAGS) -Werror -Iinclude -Ibindings/c
LINK = -Lbuild/lib -ljacquard -Wl,-rpath,'$$ORIGIN/../lib'
EXAMPLES := $(patsubst bindings/c/examples/%.c,build/examples/%,$(wildcard bindings/c/examples/*.c))

APPS := jacquard-apps jacquard-mqtt jacquard-automations jacquardctl jacquard-board jacquard-certify
PYTHON_NAMES := jacquard $(subst -,_,$(APPS))
DIST_INFOS = $(foreach name,$(PYTHON_NAMES),$(DESTDIR)$(PYTHONDIR)/$(name)-$(VERSION).dist-info)
PYTHON_PACKAGES = $(addprefix $(DESTDIR)$(PYTHONDIR)/,$(PYTHON_NAMES)) $(DIST_INFOS)
PYTHON_PROGRAMS := jacquardctl jacquard-mqtt
SERVICE_MANUAL := docs/man/jacquardd.1
LIBRARY_MANUAL := libjacquard.3
MANUALS := jacquardctl.1 jacquard-mqtt.1 jacquard-sim.1
# Headers without sources, which programs include as <jacquard-glib.h>.
ADAPTERS := $(addprefix bindings/c/jacquard-,poll.h epoll.h glib.h uv.h)
SERVICE_UNITS := Sources/jacquardd/systemd
# Manual pages and completions, while `install` runs: root may run it, so nothing of it stays here.
DOCUMENTS := $(BUILD)/documents
DEB_TREE := $(BUILD)/deb/libjacquard-$(VERSION)
DEB_ORIGINAL := $(BUILD)/deb/libjacquard_$(VERSION).orig
# In a release, whose time is that of its commit, two archives of a source have the same bytes.
ARCHIVE := tar --exclude-vcs --owner=0 --group=0 --numeric-owner --sort=name --mode=go=rX \
  $(if $(SOURCE_DATE_EPOCH),--mtime=@$(SOURCE_DATE_EPOCH) --clamp-mtime)
PLACES = -e 's|@PREFIX@|$(PREFIX)|; s|@LIBDIR@|$(LIBDIR)|; s|@INCLUDEDIR@|$(INCLUDEDIR)|' \
  -e 's|@BINDIR@|$(BINDIR)|; s|@PYTHON@|$(PYTHON)|; s|@PYTHONDIR@|$(PYTHONDIR)|; s|@VERSION@|$(VERSION)|'

.NOTPARALLEL:
.DELETE_ON_ERROR:
.PHONY: all clean help deps tests demo board check check-release bench
.PHONY: site lint generate install uninstall deb wheel release

## Build

# For another architecture the service is compiled when the packages are built, with their compiler.
all: $(if $(filter build,$(DEPENDENCIES)),$(SERVICE))
all: $(LIBRARY) $(SIMULATOR) ## the library in build/lib, the service and the software tag in build/bin (the default)

clean: ## remove everything that was built
	rm -rf build .build .build-* $(dir $(ORACLE_TYPES))

help: ## print this list
	@sed -n 's/^## /\n/p; s/^\([a-z-]*\):[^#]*## /  make \1\t/p' Makefile | expand -t 22
	@echo
	@echo "Variables: PREFIX, LIBDIR, INCLUDEDIR, BINDIR, MANDIR, UNITDIR, USERUNITDIR, DESTDIR, DATADIR, ZSHDIR, FISHDIR,"
	@echo "SWIFTDIR, PYTHONDIR, KEEP_SYMBOLS=1 for install; CC, CFLAGS, STRIP (: keeps symbols), PYTHON;"
	@echo "ARCH for all, wheel and deb: the architecture to build for (arm64)"

# The package manager does not know that linking depends on the version script, so remove the library.
$(LIBRARY) $(SIMULATOR) &: $(SOURCES)
	@Tests/Support/install-dependencies --name-only $(DEPENDENCIES)
	@rm -f $(SCRATCH)/release/libjacquard.so
	$(SWIFT_BUILD)
	@mkdir -p $(dir $(LIBRARY) $(SIMULATOR)) $(UNSTRIPPED)
	cp $(SCRATCH)/release/libjacquard.so $(UNSTRIPPED)/$(notdir $(LIBRARY)) && chmod 644 $(UNSTRIPPED)/$(notdir $(LIBRARY))
	cp $(SCRATCH)/release/jacquard-sim $(UNSTRIPPED)/
	@# Replaced, not written over: programs that are running keep their files.
	$(STRIP) --strip-unneeded -o $(LIBRARY).new $(UNSTRIPPED)/$(notdir $(LIBRARY))
	chmod 644 $(LIBRARY).new && mv $(LIBRARY).new $(LIBRARY)
	$(STRIP) --strip-unneeded -o $(SIMULATOR).new $(UNSTRIPPED)/jacquard-sim && mv $(SIMULATOR).new $(SIMULATOR)
	ln -sf $(notdir $(LIBRARY)) $(dir $(LIBRARY))$(SONAME)
	ln -sf $(SONAME) $(dir $(LIBRARY))libjacquard.so

# It uses the library beside it, in the build directory and where it is installed.
RUNPATH = -Wl,-rpath,'$$ORIGIN/../lib'
$(SERVICE): Sources/jacquardd/main.c $(PUBLIC_HEADERS) $(LIBRARY)
	@mkdir -p $(dir $@)
	$(CC) -std=c11 -D_GNU_SOURCE $(CFLAGS) -Werror -Iinclude $< -o $@ -L$(BUILD)/lib -ljacquard -Wl,-z,now $(RUNPATH)

build/examples/%: bindings/c/examples/%.c $(wildcard bindings/c/*.h) $(PUBLIC_HEADERS) $(LIBRARY)
	@mkdir -p $(dir $@)
	$(EXAMPLE) $< -o $@ $(LINK)

# Where programs find the library of the build directory with pkg-config.
build/pkgconfig/jacquard.pc: pkgconfig/jacquard.pc.in include/jacquard.h
	@mkdir -p $(dir $@)
	sed -e 's|@PREFIX@|$(CURDIR)/build|; s|@LIBDIR@|$(CURDIR)/build/lib|; s|@INCLUDEDIR@|$(CURDIR)/include|' \
	  -e 's|@VERSION@|$(VERSION)|' $< > $@

# Blocking examples are built with jacquard-blocking.c, examples for other loops with their libraries.
build/examples/blocking-%: bindings/c/examples/blocking-%.c bindings/c/jacquard-blocking.c \
  bindings/c/jacquard-blocking.h $(PUBLIC_HEADERS) $(LIBRARY)
	@mkdir -p $(dir $@)
	$(EXAMPLE) $< bindings/c/jacquard-blocking.c -o $@ $(LINK) -pthread

build/examples/loop-glib: EXAMPLE += $$(pkg-config --cflags glib-2.0)
build/examples/loop-glib: LINK += $$(pkg-config --libs glib-2.0)
build/examples/loop-uv: EXAMPLE += $$(pkg-config --cflags libuv)
build/examples/loop-uv: LINK += $$(pkg-config --libs libuv)

build/features/%: Tests/Interface/features/%.c Tests/Interface/features/feature.c \
  Tests/Interface/features/feature.h Tests/Interface/commands.h $(PUBLIC_HEADERS) $(LIBRARY)
	@mkdir -p $(dir $@)
	$(CC) -std=c99 -O1 -g -Wall -Wextra -Werror -pedantic -Iinclude $< Tests/Interface/features/feature.c -o $@ \
	  -Lbuild/lib -ljacquard -Wl,-rpath,'$$ORIGIN/../lib'

$(COMPANION): Tests/System/sharing/companion.c Tests/Interface/features/feature.c \
  Tests/Interface/features/feature.h Tests/Interface/commands.h $(PUBLIC_HEADERS) $(LIBRARY)
	@mkdir -p $(dir $@)
	$(CC) -std=c99 -O1 -g -Wall -Wextra -Werror -pedantic -Iinclude -ITests/Interface/features $< \
	  Tests/Interface/features/feature.c -o $@ -Lbuild/lib -ljacquard -Wl,-rpath,'$$ORIGIN/../lib'

$(SCRATCH)/release/lives: $(LIBRARY) Package.swift $(shell find Tests/Search/lives Tests/Unit/LocalBus -name '*.swift')
	$(SWIFT_BUILD) --product lives && touch $@

$(ORACLE_TYPES): Tests/Search/oracle/generate Tests/Search/oracle/Package.swift Sources/WireFormat/generator \
  Sources/JacquardWire/jacquard.proto Sources/TagStore/state.proto
	Tests/Search/oracle/generate

# `all` only names the Debian packages that are missing. Other targets install them, with sudo if not root.
packages-for-%:
	@Tests/Support/install-dependencies $*

deps: packages-for-check ## install the Debian packages that the tests need

# What the virtual machine runs.
programs: all $(EXAMPLES) $(FEATURES) $(COMPANION)

# Separate from `check`, because how long building takes says nothing about the tests: only these have a time limit in
# CI.
tests: deps programs $(SCRATCH)/release/lives
tests: build/pkgconfig/jacquard.pc
tests: ## build what `make check` runs
	swift build --quiet --build-tests
	$(SWIFT_BUILD_TESTS) --package-path $(SWIFT_PACKAGE) --scratch-path .build-swift
	$(SWIFT_BUILD_TESTS) --package-path $(SWIFT_PACKAGE)/sdk --scratch-path .build-swift-sdk

## Try

demo: packages-for-demo all build/examples/battery ## read a battery level from C, with a software tag
	$(SIMULATOR) run -- build/examples/battery
	@echo "Next: make board   # shows a software tag in your browser, with a sleeve to touch"

board: packages-for-board all ## a software tag in the browser, with a sleeve to touch
	@PYTHONPATH=$$(echo bindings/python/src apps/*/src | tr ' ' :) \
	  JACQUARD_LIBRARY=$(LIBRARY) JACQUARD_SIM=$(SIMULATOR) $(PYTHON) -B -m jacquardctl board --simulate

## Test

check: tests ## every test that needs no Bluetooth, or the parts TESTS="documents MQTT"
	@$(PYTHON) Tests/Support/check $(TESTS)

check-release: ## tests that take too long for every change, those that have not passed yet, or TESTS="vm deb"
	@Tests/Support/parts $(or $(TESTS),--missing)

bench: packages-for-bench all
bench: ## compare the library with libdbus, sd-bus, bleak and SimplePyBLE; with RECORD=1 also in docs/benchmarks.md
	@$(PYTHON) Tests/System/bench/compare $(if $(RECORD),--record)

## Change

site: packages-for-site ## the documents as static pages with search, in build/site/html
	@$(PYTHON) tools/site/conf.py

lint: ## run the linters; with FIX=1 only format the Swift sources in place
	@$(if $(FIX),swift format --in-place --recursive Package.swift Sources Tests $(SWIFT_PACKAGE),\
	  $(PYTHON) Tests/Support/lint)

generate: ## regenerate FILES="reference", messages, abi, hot-path or pictures: see Tests/Support/generate
	@Tests/Support/generate $(or $(FILES),reference)

## Install

wheel: packages-for-wheel $(LIBRARY) ## wheels for pip in build/wheel: Python package with the library, and programs
	bindings/python/wheel $(BUILD)/wheel $(LIBRARY)
	for app in $(APPS); do apps/wheel $$app $(BUILD)/wheel || exit; done
	@ls $(BUILD)/wheel/*-manylinux_*.whl \
	  $(foreach name,$(filter-out jacquard,$(PYTHON_NAMES)),$(BUILD)/wheel/$(name)-*.whl)

# In a copy, so that the packages are created inside the tree; files that are already built are copied too. The source
# has a second original archive and no Package.resolved, whose packages Swift would fetch, so that it builds without a
# network.
deb: packages-for-$(PACKAGING) all ## Debian packages, and their source, in build/deb
	rm -rf $(BUILD)/deb
	mkdir -p $(DEB_TREE)
	tar --exclude-vcs --exclude=./build --exclude='./.build*' --exclude=Package.resolved \
	  --exclude=./Tests/Search/oracle/generated --exclude=__pycache__ -cf - . | \
	  tar -xf - -C $(DEB_TREE)
	sed -i 's|@MAINTAINER_ADDRESS@|$(MAINTAINER_ADDRESS)|; s|@REPOSITORY@|$(REPOSITORY)|' \
	  $(DEB_TREE)/debian/control $(DEB_TREE)/debian/changelog
	$(ARCHIVE) --exclude='libjacquard-*/debian' -czf $(DEB_ORIGINAL).tar.gz -C $(BUILD)/deb $(notdir $(DEB_TREE))
	$(ARCHIVE) -czf $(DEB_ORIGINAL)-swift-argument-parser.tar.gz -C $(SCRATCH)/checkouts swift-argument-parser
	tar -xf $(DEB_ORIGINAL)-swift-argument-parser.tar.gz -C $(DEB_TREE)
	cd $(BUILD)/deb && dpkg-source --build $(notdir $(DEB_TREE))
	mkdir -p $(DEB_TREE)/$(BUILD)
	cp -a $(BUILD)/lib $(BUILD)/bin $(UNSTRIPPED) $(DEB_TREE)/$(BUILD)/
	cd $(DEB_TREE) && $(BUILD_PACKAGES) --no-sign --build=binary --no-pre-clean
	rm -rf $(DEB_TREE)
	@ls -sh1 $(BUILD)/deb/*.deb

release: ## the files of a release in build/release, from the tag of the version: see RELEASING.md
	@tools/release/build $(VERSION) $(MAINTAINER_ADDRESS) $(REPOSITORY)

define INSTALL_LIBRARY
install -d $(DESTDIR)$(LIBDIR)/pkgconfig $(DESTDIR)$(INCLUDEDIR) $(DESTDIR)$(MANDIR)/man3
install -d $(DESTDIR)$(BINDIR) $(DESTDIR)$(UNITDIR) $(DESTDIR)$(USERUNITDIR) $(DESTDIR)$(MANDIR)/man1
install -m 644 $(INSTALLED_LIBRARY) $(DESTDIR)$(LIBDIR)/
ln -sf $(notdir $(LIBRARY)) $(DESTDIR)$(LIBDIR)/$(SONAME)
ln -sf $(SONAME) $(DESTDIR)$(LIBDIR)/libjacquard.so
install -m 644 include/jacquard.h $(ADAPTERS) $(DESTDIR)$(INCLUDEDIR)/
install -D -m 644 -t $(DESTDIR)$(INCLUDEDIR)/jacquard $(filter include/jacquard/%,$(PUBLIC_HEADERS))
sed $(PLACES) pkgconfig/jacquard.pc.in > $(DESTDIR)$(LIBDIR)/pkgconfig/jacquard.pc
$(PYTHON) -B docs/generator $(DOCUMENTS)
install -m 644 $(DOCUMENTS)/$(LIBRARY_MANUAL) $(DESTDIR)$(MANDIR)/man3/
rm -r $(DOCUMENTS)
install -m 755 $(SERVICE) $(DESTDIR)$(BINDIR)/
sed $(PLACES) $(SERVICE_UNITS)/user.service.in > $(DESTDIR)$(USERUNITDIR)/jacquardd.service
sed $(PLACES) $(SERVICE_UNITS)/system.service.in > $(DESTDIR)$(UNITDIR)/jacquardd.service
install -m 644 $(SERVICE_UNITS)/user.socket $(DESTDIR)$(USERUNITDIR)/jacquardd.socket
install -m 644 $(SERVICE_UNITS)/system.socket $(DESTDIR)$(UNITDIR)/jacquardd.socket
install -m 644 $(SERVICE_MANUAL) $(DESTDIR)$(MANDIR)/man1/
@[ -n "$(DESTDIR)" ] || /sbin/ldconfig 2>/dev/null || echo "Run ldconfig as root, or set LD_LIBRARY_PATH=$(LIBDIR)."
endef

# pip does not touch packages without a RECORD; `make uninstall` or the package manager removes them.
define INSTALL_TOOLS
install -d $(DESTDIR)$(BINDIR) $(DESTDIR)$(PYTHONDIR) $(DESTDIR)$(MANDIR)/man1
install -d $(DESTDIR)$(DATADIR)/bash-completion/completions $(DESTDIR)$(ZSHDIR) $(DESTDIR)$(FISHDIR)
install -m 755 $(INSTALLED_SIMULATOR) $(DESTDIR)$(BINDIR)/
bindings/python/wheel $(BUILD)/wheel
for app in $(APPS); do apps/wheel $$app $(BUILD)/wheel || exit; done
rm -rf $(PYTHON_PACKAGES)
for name in $(PYTHON_NAMES); do \
  $(PYTHON) -m zipfile -e $(BUILD)/wheel/$$name-$(VERSION)-py3-none-any.whl $(DESTDIR)$(PYTHONDIR) || exit; done
rm $(addsuffix /RECORD,$(DIST_INFOS))
for name in $(PYTHON_PROGRAMS); do \
  sed $(PLACES) -e "s/@PACKAGE@/$$(echo $$name | tr - _)/" apps/program.in > $(DESTDIR)$(BINDIR)/$$name && \
    chmod 755 $(DESTDIR)$(BINDIR)/$$name || exit; done
install -d $(DESTDIR)$(UNITDIR) $(DESTDIR)$(USERUNITDIR)
sed $(PLACES) apps/jacquard-mqtt/systemd/user.service.in > $(DESTDIR)$(USERUNITDIR)/jacquard-mqtt.service
sed $(PLACES) apps/jacquard-mqtt/systemd/system.service.in > $(DESTDIR)$(UNITDIR)/jacquard-mqtt.service
sed $(PLACES) apps/jacquard-automations/systemd/user.service.in > $(DESTDIR)$(USERUNITDIR)/jacquard-automations.service
install -D -m 644 -t $(DESTDIR)$(DATADIR)/jacquard-mqtt apps/jacquard-mqtt/jacquard-mqtt.toml
$(PYTHON) -B tools/documents $(DOCUMENTS) $(EMULATOR) $(SIMULATOR)
install -m 644 $(addprefix $(DOCUMENTS)/,$(MANUALS)) $(DESTDIR)$(MANDIR)/man1/
$(EMULATOR) $(SIMULATOR) --generate-completion-script bash | sed '1{/^#!/d}' \
  > $(DESTDIR)$(DATADIR)/bash-completion/completions/jacquard-sim
$(EMULATOR) $(SIMULATOR) --generate-completion-script zsh > $(DESTDIR)$(ZSHDIR)/_jacquard-sim
$(EMULATOR) $(SIMULATOR) --generate-completion-script fish > $(DESTDIR)$(FISHDIR)/jacquard-sim.fish
for name in $(PYTHON_PROGRAMS); do \
  install -m 644 $(DOCUMENTS)/$$name.bash $(DESTDIR)$(DATADIR)/bash-completion/completions/$$name && \
  install -m 644 $(DOCUMENTS)/_$$name $(DESTDIR)$(ZSHDIR)/ && \
  install -m 644 $(DOCUMENTS)/$$name.fish $(DESTDIR)$(FISHDIR)/ || exit; done
rm -r $(DOCUMENTS)
endef

# Sources, which the package manager of Swift compiles with each program.
define INSTALL_SWIFT
cd $(SWIFT_PACKAGE) && for file in $(SWIFT_FILES); do \
  install -D -m 644 $$file $(abspath $(DESTDIR)$(SWIFTDIR))/$$file || exit; done
endef

define UNINSTALL_LIBRARY
rm -f $(DESTDIR)$(LIBDIR)/$(notdir $(LIBRARY)) $(DESTDIR)$(LIBDIR)/$(SONAME) $(DESTDIR)$(LIBDIR)/libjacquard.so
rm -f $(DESTDIR)$(LIBDIR)/pkgconfig/jacquard.pc
rm -f $(addprefix $(DESTDIR)$(INCLUDEDIR)/,$(PUBLIC_HEADERS:include/%=%) $(notdir $(ADAPTERS)))
rmdir $(DESTDIR)$(INCLUDEDIR)/jacquard 2>/dev/null || :
rm -f $(DESTDIR)$(MANDIR)/man3/$(LIBRARY_MANUAL)
rm -f $(DESTDIR)$(BINDIR)/jacquardd $(DESTDIR)$(MANDIR)/man1/$(notdir $(SERVICE_MANUAL))
rm -f $(foreach folder,$(UNITDIR) $(USERUNITDIR),$(addprefix $(DESTDIR)$(folder)/jacquardd.,service socket))
endef

define UNINSTALL_TOOLS
rm -f $(DESTDIR)$(BINDIR)/jacquard-sim $(addprefix $(DESTDIR)$(BINDIR)/,$(PYTHON_PROGRAMS))
rm -rf $(PYTHON_PACKAGES)
rm -f $(DESTDIR)$(UNITDIR)/jacquard-mqtt.service $(DESTDIR)$(USERUNITDIR)/jacquard-mqtt.service
rm -f $(DESTDIR)$(USERUNITDIR)/jacquard-automations.service
rm -rf $(DESTDIR)$(DATADIR)/jacquard-mqtt
rm -f $(addprefix $(DESTDIR)$(MANDIR)/man1/,$(MANUALS))
rm -f $(DESTDIR)$(DATADIR)/bash-completion/completions/jacquard-sim
rm -f $(DESTDIR)$(ZSHDIR)/_jacquard-sim $(DESTDIR)$(FISHDIR)/jacquard-sim.fish
rm -f $(addprefix $(DESTDIR)$(DATADIR)/bash-completion/completions/,$(PYTHON_PROGRAMS))
rm -f $(addprefix $(DESTDIR)$(ZSHDIR)/_,$(PYTHON_PROGRAMS))
rm -f $(patsubst %,$(DESTDIR)$(FISHDIR)/%.fish,$(PYTHON_PROGRAMS))
endef

install: $(if $(filter library,$(PARTS)),$(LIBRARY) $(SERVICE)) $(if $(filter tools,$(PARTS)),$(SIMULATOR))
install: ## PARTS="library tools swift" below DESTDIR/PREFIX; the library with its service
	$(if $(filter library,$(PARTS)),$(INSTALL_LIBRARY))
	$(if $(filter tools,$(PARTS)),$(INSTALL_TOOLS))
	$(if $(filter swift,$(PARTS)),$(INSTALL_SWIFT))

uninstall: ## remove the files of install
	$(if $(filter library,$(PARTS)),$(UNINSTALL_LIBRARY))
	$(if $(filter tools,$(PARTS)),$(UNINSTALL_TOOLS))
	$(if $(filter swift,$(PARTS)),rm -rf $(DESTDIR)$(SWIFTDIR))
