"""Data sets: real ones if the files exist, else generated ones of similar shape."""

from benchmarks.datasets.adult_a import AdultA
from benchmarks.datasets.ames import Ames
from benchmarks.datasets.base import Dataset, Rows
from benchmarks.datasets.cod_rna import CodRna
from benchmarks.datasets.computers import Computers
from benchmarks.datasets.covtype import Covtype
from benchmarks.datasets.deliveries import Deliveries
from benchmarks.datasets.diabetes import Diabetes
from benchmarks.datasets.diamonds import Diamonds
from benchmarks.datasets.digits import Digits
from benchmarks.datasets.farm_ads import FarmAds
from benchmarks.datasets.german import German
from benchmarks.datasets.hotel_rates import HotelRates
from benchmarks.datasets.ijcnn1 import Ijcnn1
from benchmarks.datasets.isolet_letters import IsoletLetters
from benchmarks.datasets.mnist_5k import Mnist5k
from benchmarks.datasets.news20_rebuilt import News20Rebuilt
from benchmarks.datasets.nox_emissions import NoxEmissions
from benchmarks.datasets.rcv1_1500 import Rcv1Sample
from benchmarks.datasets.skin import Skin
from benchmarks.datasets.sonar import Sonar
from benchmarks.datasets.vehicle import Vehicle
from benchmarks.datasets.w8a import W8a

CLASSES = (
    AdultA,
    W8a,
    CodRna,
    Ijcnn1,
    Skin,
    Covtype,
    FarmAds,
    News20Rebuilt,
    Rcv1Sample,
    German,
    Sonar,
    Digits,
    IsoletLetters,
    Vehicle,
    Mnist5k,
    Diamonds,
    NoxEmissions,
    Computers,
    Deliveries,
    HotelRates,
    Ames,
    Diabetes,
)
DATASETS = {cls.name: cls() for cls in CLASSES}

__all__ = ["DATASETS", "Dataset", "Rows"]
