"""The header compiles without warnings in every supported language, and includes everything it needs."""

import re
from collections.abc import Iterable
from pathlib import Path

import pytest
from conftest import STRICT, compiler, run
from header import INCLUDE, comments, files, whole
from header.declarations import enumerators, nodes
from pycparser import c_ast
from surface import declared

LANGUAGES = {
    "C99": (".c", "-std=c99", ["gcc", "clang"]),
    "C11": (".c", "-std=c11", ["gcc", "clang"]),
    "C23": (".c", "-std=c2x", ["gcc", "clang"]),
    "C++11": (".cpp", "-std=c++11", ["g++", "clang++"]),
    "C++20": (".cpp", "-std=c++20", ["g++", "clang++"]),
    "C++23": (".cpp", "-std=c++23", ["g++", "clang++"]),
}
CASES = [(language, name) for language, (_, _, names) in LANGUAGES.items() for name in names]


def complaints(header: str, folder: Path, language: str, name: str) -> str:
    """The compiler's output for a program that includes the header twice and uses each _INIT macro."""
    suffix, standard, _ = LANGUAGES[language]
    (folder / "jacquard.h").write_text(header)
    starts = re.findall(r"#define (JACQUARD_(\w+)_INIT) ", header)
    use = "  {{ jacquard_{} it = {}; if (it.struct_size != sizeof it) return 1; }}\n"
    uses = "".join(use.format(noun.lower(), start) for start, noun in starts)
    source = folder / f"program{suffix}"
    source.write_text(f"#include <jacquard.h>\n#include <jacquard.h>\nint main(void) {{\n{uses}  return 0;\n}}\n")
    strictly = [standard, *STRICT, "-Wshadow", "-Wundef", "-Wpadded", f"-I{folder}"]
    made = run([compiler(name), *strictly, source, "-o", folder / "program"])
    if made.returncode == 0:
        assert run([folder / "program"]).returncode == 0, "an _INIT does not set struct_size"
    return made.stderr


@pytest.mark.parametrize("language, name", CASES)
def test_header_compiles(tmp_path: Path, language: str, name: str) -> None:
    assert complaints(whole(), tmp_path, language, name) == ""


@pytest.mark.parametrize("language, name", CASES)
def test_each_header_compiles_alone(tmp_path: Path, language: str, name: str) -> None:
    suffix, standard, _ = LANGUAGES[language]
    for path in files():
        source = tmp_path / f"{path.stem}{suffix}"
        source.write_text(f"#include <{path.relative_to(INCLUDE)}>\n")
        assert run([compiler(name), standard, *STRICT, "-fsyntax-only", f"-I{INCLUDE}", source]).stderr == ""


def test_the_core_is_small() -> None:
    core = files()[0].read_text()
    assert len(files()) == 6
    assert 40 < len(declared(core)) <= 75 and len(core.splitlines()) <= 1700


def test_the_module_map_has_all_headers() -> None:
    listed = re.findall(r'header "(.*)"', (INCLUDE / "module.modulemap").read_text())
    assert listed == [str(path.relative_to(INCLUDE)) for path in files()]


def test_the_header_has_an_init_macro_for_each_struct_that_a_caller_fills() -> None:
    text = whole()
    structs = re.findall(r"typedef struct (jacquard_\w+) \{\s*uint32_t struct_size;", text)
    assert structs and all(f"#define {name.upper()}_INIT " in text for name in structs)


def test_every_function_says_what_it_returns() -> None:
    functions = [item for item in comments.read(whole()).items if item.kind == "function"]
    assert [item.name for item in functions if not item.returns and not item.declaration.startswith("void")] == []


@pytest.mark.parametrize("language, name", CASES)
def test_a_deprecated_function_warns_those_who_ask(tmp_path: Path, language: str, name: str) -> None:
    suffix, standard, _ = LANGUAGES[language]
    source = tmp_path / f"program{suffix}"
    source.write_text("#include <jacquard.h>\nJACQUARD_DEPRECATED int old(void);\nint main(void) { return old(); }\n")
    command = [compiler(name), standard, *STRICT, "-fsyntax-only", f"-I{INCLUDE}", source]
    assert run(command).stderr == ""
    assert "deprecated" in run([*command, "-DJACQUARD_WARN_DEPRECATED"]).stderr


def misnamed(header: str) -> list[str]:
    """The enumerators that do not begin with the name of their enumeration, without "type"."""
    found = []
    for node in nodes(header):
        start = "JACQUARD_" + node.name.removeprefix("jacquard_").removesuffix("_type").upper() + "_"
        starts = ("JACQUARD_ERROR_", "JACQUARD_OK") if node.name == "jacquard_status" else (start,)
        found += [each.name for each in enumerators(node) if not each.name.startswith(starts)]
    return found


def test_enumerators_begin_with_the_name_of_their_enumeration() -> None:
    assert misnamed(whole()) == []


def test_an_enumerator_with_another_name_is_found() -> None:
    text = whole()
    assert misnamed(text.replace("JACQUARD_SCAN_END_STOPPED", "JACQUARD_SCAN_STOPPED")) == ["JACQUARD_SCAN_STOPPED"]
    assert misnamed(text + "typedef enum jacquard_end { JACQUARD_ENDING_NONE = 1 } jacquard_end;\n") != []


def with_enum_type(header: str) -> list[str]:
    """The fields, parameters and results whose type is an enumeration: a number without a name, which a tag or a later
    version may send, is undefined behaviour in C++ there."""
    declared = nodes(header)
    enums = {node.name for node in declared if enumerators(node)}

    def typed(node: c_ast.Node) -> Iterable[str]:
        if isinstance(node, c_ast.TypeDecl) and isinstance(node.type, c_ast.IdentifierType):
            yield from [node.declname] if enums & set(node.type.names) else []
        for _, child in node.children():
            yield from typed(child)

    return [name for node in declared if node.name not in enums for name in typed(node)]


def test_no_field_or_parameter_has_the_type_of_an_enumeration() -> None:
    assert with_enum_type(whole()) == []


@pytest.mark.parametrize(
    "before, after, found",
    [
        ("  uint32_t phase;                  /**<", "  jacquard_phase phase; /**<", "phase"),
        ("jacquard_phase_name(uint32_t phase)", "jacquard_phase_name(jacquard_phase phase)", "phase"),
        ("uint32_t level, jacquard_log_callback", "jacquard_log_level level, jacquard_log_callback", "level"),
        ("const char *jacquard_phase_name(", "jacquard_phase jacquard_phase_name(", "jacquard_phase_name"),
    ],
)
def test_a_field_parameter_or_result_with_such_a_type_is_found(before: str, after: str, found: str) -> None:
    text = whole()
    assert before in text
    assert with_enum_type(text.replace(before, after)) == [found]


def test_counts_of_memory_have_the_type_of_sizes() -> None:
    counts = re.findall(r"(\w+) (\w*count)\b[;,)]", whole())
    assert len(counts) > 10 and {type for type, _ in counts} == {"size_t"}


def ambiguous(header: str) -> list[str]:
    """Words with a meaning that differs from the only one on the header's page on words."""
    found = [word for word in ("done", "destroyed") if re.search(rf"\b{word};", header)]
    found += re.findall(r"typedef int \(\*jacquard_\w*progress_callback\).*", header)
    found += re.findall(r"^ +.*?\bjacquard_done_callback (?!callback\b)\w+", header, re.MULTILINE)
    found += [type for type in re.findall(r"^ +(.*)\*data;", header, re.MULTILINE) if type != "const uint8_t "]
    found += re.findall(r"\bjacquard_destroy_callback (?!destroy\b)\w+", header)
    return found


def test_destroy_done_data_and_progress_mean_one_thing_each() -> None:
    assert ambiguous(whole()) == []


@pytest.mark.parametrize(
    "before, after",
    [
        ("  uint32_t stored;         /**< bytes of this image", "  uint32_t done;         /**< bytes of this image"),
        ("typedef void (*jacquard_update_progress_callback)", "typedef int (*jacquard_update_progress_callback)"),
        ("  const uint8_t *data; ", "  const char *data; "),
        ("jacquard_destroy_callback destroy,", "jacquard_destroy_callback done,"),
    ],
)
def test_a_word_with_another_meaning_is_found(before: str, after: str) -> None:
    text = whole()
    assert before in text
    assert ambiguous(text.replace(before, after)) != []


@pytest.mark.parametrize(
    "language, name, before, after",
    [
        ("C99", "gcc", "#include <stdint.h>", ""),
        ("C++11", "g++", "(*jacquard_destroy_callback)(void *user_data)", "(*jacquard_destroy_callback)(void *class)"),
        ("C99", "clang", "JACQUARD_OK = 0,", "JACQUARD_OK = 60000000000,"),
        ("C++20", "clang++", 'extern "C" {', 'extern "C" { struct { int a; };'),
        ("C11", "gcc", "#endif\n\n#endif", "#endif\n;\n#endif"),
        # A field in the place of padding would leave the size of the struct unchanged.
        ("C99", "gcc", "  uint32_t reserved;         /**< 0 */\n} jacquard_scan_options;", "} jacquard_scan_options;"),
    ],
)
def test_a_header_with_a_defect_does_not_compile(
    tmp_path: Path, language: str, name: str, before: str, after: str
) -> None:
    text = whole()
    assert before in text
    assert complaints(text.replace(before, after), tmp_path, language, name) != ""
