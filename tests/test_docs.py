"""The pages of the documentation: their code runs, and what they refer to is there."""

import re
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import largemargin
from docs.api_reference import reference
from largemargin.designs.base import MissingCapability
from largemargin.designs.dense import DenseDesign
from largemargin.designs.features import MAX_FACTORED
from largemargin.problem import Prices, Problem, Targets
from largemargin.problem.certificate import examine_kept
from largemargin.solvers import solve

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
# Made by a build, and not there in a clone.
GENERATED = {"_build", "api", "gallery"}
PAGES = [
    *(ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md")),
    *(
        path
        for path in sorted(DOCS.rglob("*.md"))
        if path.relative_to(DOCS).parts[0] not in GENERATED
    ),
]
GUIDE = ["index.md", *(f"user_guide/{path.name}" for path in DOCS.glob("user_guide/*.md"))]
LINK = re.compile(r"\]\(([^)\s]+)\)")
PATH = re.compile(r"`((?:[\w.-]+/)+(?:[\w-]+\.(?:py|pyi|md))?)`")


def run(page, names):
    """Run the Python blocks of a page one after the other; return what they define."""
    path = DOCS / page
    for block in re.findall(r"```python\n(.*?)```", path.read_text(), re.DOTALL):
        exec(compile(block, str(path), "exec"), names)
    return names


def name_of(path):
    return str(path.relative_to(ROOT))


def without_code(text):
    """Return a page without its blocks of code, whose brackets are no links."""
    return re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)


def test_every_public_name_is_in_the_api_reference():
    listed = re.findall(r"^   (\w+)$", reference(), re.MULTILINE)
    functions = {*largemargin.__all__, *largemargin.tables.__all__} - {"model_files"}
    assert functions | {*largemargin.model_files.__all__} == set(listed)
    assert "largemargin.model_files" in reference()


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_to_files(page):
    links = LINK.findall(without_code(page.read_text()))
    paths = [link.partition("#")[0] for link in links if "://" not in link]
    missing = [path for path in paths if path and not (page.parent / path).exists()]
    assert missing == []


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_paths_in_the_text_lead_to_files(page):
    # From the root of the repository, or from that of the package.
    places = ROOT, ROOT / "src" / "largemargin"
    paths = PATH.findall(without_code(page.read_text()))
    assert [path for path in paths if not any((at / path).exists() for at in places)] == []


def test_the_readme_names_every_room_and_folder():
    text = (ROOT / "README.md").read_text()
    tree = re.search(r"^    src/largemargin/\n(.*?)\n\n", text, re.MULTILINE | re.DOTALL)[1]
    rooms = {path.parent.name for path in ROOT.glob("src/largemargin/*/__init__.py")}
    named = {line.split("/")[0].strip() for line in tree.splitlines() if "/  " in line}
    assert rooms <= named
    assert all((ROOT / name).is_dir() for name in named - rooms)


def test_the_changelog_knows_this_version():
    changelog = (ROOT / "CHANGELOG.md").read_text()
    assert re.search(rf"^## {re.escape(largemargin.__version__)} - ", changelog, re.M)


def test_every_page_of_the_guide_and_every_record_is_in_a_table_of_contents():
    for folder in "user_guide", "design":
        index = (DOCS / folder / "index.md").read_text()
        contents = re.search(r"```{toctree}(.*?)```", index, re.DOTALL)[1].split()
        pages = {path.stem for path in (DOCS / folder).glob("*.md")} - {"index"}
        assert pages <= set(contents)


@pytest.mark.parametrize("page", sorted(GUIDE))
def test_the_code_of_the_guide_runs(page):
    run(page, {"__name__": "guide", "print": lambda *_: None})


@pytest.fixture(scope="module")
def design_page():
    return run("add_a_design.md", {"__name__": "add_a_design", "print": lambda _: None})


def test_the_loss_page_runs():
    # Every block asserts what the page says of it.
    names = run("add_a_loss.md", {"__name__": "add_a_loss"})
    assert {"HingeAtTwo", "EpsilonInsensitive", "gap_by_search"} <= names.keys()


def test_the_design_page_runs_and_prints_what_it_says():
    said = []
    run("add_a_design.md", {"__name__": "add_a_design", "print": said.append})
    (message,) = map(str, said)
    assert f"    {message}\n" in (DOCS / "add_a_design.md").read_text()


def posed(design, X, weight, prices, fit_intercept=True):
    signs = np.where(X[:, 0] + np.sin(40.0 * X[:, 1]) > 0, 1.0, -1.0)
    return Problem(design, Targets.of_classes(signs), weight, prices, fit_intercept)


@pytest.mark.parametrize("solver", ["auto", "newton"])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("prices", [(1.0,), (1.0, 5.0, 2.0), (10.0, 0.1, 0.0, 2.0)])
@pytest.mark.parametrize("n_features", [5, MAX_FACTORED + 10])
def test_rows_in_chunks_are_solved_as_in_one_array(
    design_page, n_features, prices, fit_intercept, solver
):
    rng = np.random.default_rng(0)
    n_rows = 200 if n_features == 5 else 60
    X = rng.standard_normal((n_rows, n_features)) / np.sqrt(n_features)
    weight = rng.uniform(0.5, 2.0, n_rows)
    chunked = design_page["ChunkedDesign"](np.split(X, [13, n_rows // 2]))
    found, expected = (
        solve(posed(design, X, weight, Prices(*prices), fit_intercept), solver, tol=1e-13)
        for design in (chunked, DenseDesign(X))
    )
    size = np.linalg.norm(expected.w)
    assert_allclose(found.w, expected.w, rtol=0, atol=1e-10 * size)
    assert_allclose(found.offset, expected.offset, rtol=0, atol=1e-10)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_products_with_rows_in_chunks_are_those_of_one_array(design_page, dtype):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((50, 7)).astype(dtype)
    one, many = DenseDesign(X), design_page["ChunkedDesign"](np.split(X, [10, 25]))
    w, coefficients = rng.standard_normal(7), rng.uniform(0.0, 1.0, 50)
    rtol = 1e-12 if dtype == np.float64 else 1e-5
    assert_allclose(many.scores(w), one.scores(w), rtol=rtol)
    assert_allclose(many.combine(coefficients), one.combine(coefficients), rtol=rtol)
    assert_allclose(many.squared_norms(), one.squared_norms(), rtol=rtol)
    products = [np.tril(design.outer_products(coefficients)) for design in (many, one)]
    assert_allclose(*products, rtol=rtol, atol=1e-12)
    columns = [design.squared_columns(coefficients) for design in (many, one)]
    assert_allclose(*columns, rtol=rtol)


def test_gaps_on_rows_in_chunks_are_no_smaller_than_the_distance(design_page):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 4)) * 10.0 ** rng.uniform(-6, 6, (80, 1))
    chunked = design_page["ChunkedDesign"](np.split(X, [30]))
    problem = posed(chunked, X, np.ones(80), Prices(1e-6, 1e-9, 1e-7))
    best = solve(problem, "newton", tol=1e-12)
    optimum = best.certificate.primal - best.certificate.gap
    for scale in 1e-8, 1e-4, 1.0:
        w = best.w * (1.0 + scale * rng.standard_normal(4))
        beta = best.beta * (1.0 + scale * rng.standard_normal(80))
        certificate = examine_kept(problem, w, best.offset, beta).certificate
        assert certificate.gap >= certificate.primal - best.certificate.primal
        assert certificate.primal >= optimum


@pytest.mark.parametrize("solver", ["dual_cd", "asgd", "kernel_dual"])
def test_solvers_that_need_more_than_chunks_say_what(design_page, solver):
    X = np.eye(3)
    problem = posed(design_page["ChunkedDesign"]([X]), X, np.ones(3), Prices(1.0))
    with pytest.raises(MissingCapability, match=f"'{solver}' needs .* in memory.*Chunked"):
        solve(problem, solver, tol=1e-3)
