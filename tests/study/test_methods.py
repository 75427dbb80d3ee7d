import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.metrics import pairwise_distances
from sklearn.svm import SVC

from study.datasets import Data, info
from study.methods import STUDIED, check_name
from study.protocols import PROTOCOLS, scale_of, scaled

CASES = [(name, kernel) for name, method in STUDIED.items() for kernel in method.machines]
FAIR, PAPER = PROTOCOLS["fair"], PROTOCOLS["paper"]


@pytest.fixture
def rows():
    return np.random.default_rng(0).normal(3.0, [1.0, 5.0, 0.1], size=(40, 3))


def test_the_papers_five_methods_come_first_and_in_its_order():
    labels = [method.label for method in STUDIED.values()]
    assert labels[:5] == ["SVM", "MDO", "MAMC", "KM-OMD", "LDM"]


@pytest.mark.parametrize(("name", "kernel"), CASES)
def test_every_machine_takes_its_settings_and_every_point_of_its_grids(name, kernel, blobs):
    X, y = blobs
    for key in STUDIED[name].protocols:
        protocol = PROTOCOLS[key]
        grid = protocol.grid(name, kernel, "regular", X)
        point = {parameter: values[-1] for parameter, values in grid.items()}
        settings = protocol.settings.get(name, {})
        machine = STUDIED[name].machine(kernel, **settings, **point).fit(X, y)
        assert machine.score(X, y) > 0.5


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_the_svm_of_this_package_is_that_of_scikit_learn(kernel, blobs):
    X, y = blobs
    width = {"gamma": 2.0} if kernel == "rbf" else {}
    ours = STUDIED["svm"].machine(kernel, C=10.0, tol=1e-9, **width).fit(X, y)
    theirs = SVC(C=10.0, kernel=kernel, tol=1e-9, **width).fit(X, y)
    assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-3)


def test_the_svc_of_the_papers_protocol_has_an_intercept_and_its_svm_has_not(blobs):
    X, y = blobs
    settings = PAPER.settings
    svm = STUDIED["svm"].machine("linear", **settings["svm"]).fit(X, y)
    svc = STUDIED["svc"].machine("linear", **settings.get("svc", {})).fit(X, y)
    assert svm.intercept_ == 0.0
    assert svc.intercept_ != 0.0
    assert STUDIED["svc"].label == "SVC, intercept"
    assert STUDIED["svc"].protocols == ("paper",)


def test_a_method_that_follows_is_run_where_the_one_it_follows_is():
    for method in STUDIED.values():
        if method.follows is not None:
            leader = STUDIED[method.follows]
            assert set(method.machines) <= set(leader.machines)
            assert set(method.scales) <= set(leader.scales)
            assert set(method.protocols) <= set(leader.protocols)


@pytest.mark.parametrize(
    ("given", "meant"), [("ldm", "ldm"), ("LDM", "ldm"), ("km-omd", "komd")]
)
def test_a_method_is_known_by_its_name_or_label_whatever_the_capitals(given, meant):
    assert check_name(given, STUDIED, "method") == meant


def test_a_name_that_is_nearly_right_is_corrected():
    with pytest.raises(ValueError, match=r"no method 'ldn'\. Did you mean 'ldm'\?"):
        check_name("ldn", STUDIED, "method")


def test_a_name_that_is_like_no_other_gets_the_list():
    with pytest.raises(ValueError, match="Choose from paper, fair"):
        check_name("xyz", PROTOCOLS, "protocol")


def test_dense_rows_fill_the_unit_interval(rows):
    ready = scaled(rows, slice(None), text=False)
    assert_allclose(ready.min(axis=0), 0.0)
    assert_allclose(ready.max(axis=0), 1.0)


def test_rows_that_were_not_shown_are_clipped(rows):
    shown = np.arange(10)
    ready = scaled(rows, shown, text=False)
    alone = scaled(rows[shown], slice(None), text=False)
    assert_allclose(ready[shown], alone)
    assert ready.min() == 0.0
    assert ready.max() == 1.0


def test_sparse_rows_keep_their_zeros_and_signs():
    X = sp.csr_matrix([[0.0, -4.0, 0.0], [2.0, 2.0, 0.0], [0.0, 0.0, 0.0]])
    ready = scaled(X, slice(None), text=False)
    assert_allclose(ready.toarray(), [[0, -1, 0], [1, 0.5, 0], [0, 0, 0]])


def test_sparse_rows_that_were_not_shown_are_clipped():
    X = sp.csr_matrix([[1.0, 0.0], [5.0, -3.0]])
    ready = scaled(X, np.array([0]), text=False)
    assert_allclose(ready.toarray(), [[1, 0], [1, -1]])


def test_documents_get_unit_length():
    ready = scaled(sp.csr_matrix([[3.0, 4.0], [0.0, 2.0]]), slice(None), text=True)
    assert_allclose(ready.toarray(), [[0.6, 0.8], [0.0, 1.0]])


def test_the_paper_scales_by_all_rows_and_the_fair_protocol_by_the_training_half(rows):
    data = Data(rows, np.ones(40), "mine", "made up")
    train = np.arange(20)
    assert_allclose(PAPER.scaled(data, train), scaled(rows, slice(None), text=False))
    assert_allclose(FAIR.scaled(data, train), scaled(rows, train, text=False))


def test_the_papers_widths_are_around_the_mean_distance(rows):
    distance = pairwise_distances(rows).mean()
    widths = np.sqrt(0.5 / np.array(PAPER.gammas(rows)))
    assert_allclose(widths / distance, [0.25, 0.5, 1.0, 2.0, 4.0])


@pytest.mark.parametrize("layout", [np.asarray, sp.csr_matrix])
def test_fair_widths_are_multiples_of_what_scikit_learn_calls_scale(rows, layout):
    scale = SVC(gamma="scale").fit(rows, np.arange(40) % 2)._gamma
    assert_allclose(FAIR.gammas(layout(rows)), scale * np.array([0.0625, 0.25, 1.0, 4.0]))


def test_only_the_rbf_kernel_has_a_width_to_choose(rows):
    assert "gamma" not in PAPER.grid("svm", "linear", "regular", rows)
    assert len(PAPER.grid("svm", "rbf", "regular", rows)["gamma"]) == 5


def test_a_users_file_is_large_by_its_rows_and_a_set_of_the_paper_by_its_table():
    y = np.ones(3000)
    assert scale_of(Data(np.ones((3000, 1)), y, "mine", "")) == "large"
    assert scale_of(Data(np.ones((200, 1)), y[:200], "mine", "")) == "regular"
    assert scale_of(Data(np.ones((200, 1)), y[:200], "rcv1", "", info("rcv1"))) == "large"
