"""The encodings that give the sizes of Table 1."""

from study.datasets.encodings import Recipe


def ordered(orders):
    """Return the values of columns from their text, in which "|" separates them."""
    return {number: values.split("|") for number, values in orders.items()}


CREDIT_APPROVAL = ordered(
    {
        0: "b|a",
        3: "u|y|l",
        4: "g|p|gg",
        5: "c|d|cc|i|j|k|m|r|q|w|x|e|aa|ff",
        6: "v|h|bb|j|n|z|dd|ff|o",
        8: "t|f",
        9: "t|f",
        11: "t|f",
        12: "g|p|s",
    }
)
HORSES = ordered(
    {
        0: "yes|no",
        1: "adult|young",
        5: "normal|warm|cool|cold",
        6: "normal|increased|reduced|absent",
        7: "normal pink|bright pink|pale pink|pale cyanotic|bright red|dark cyanotic",
        8: "<3|>=3|meaning unknown",
        9: "alert no pain|depressed|intermittent mild pain|intermittent severe pain|"
        "continuous severe pain",
        10: "hypermotile|normal|hypomotile|absent",
        11: "none|slight|moderate|severe",
        21: "lived|died|euthanized",
    }
)
PATIENTS = ordered(
    {
        0: "10-19|20-29|30-39|40-49|50-59|60-69|70-79|80-89|90-99",
        1: "lt40|ge40|premeno",
        2: "0-4|5-9|10-14|15-19|20-24|25-29|30-34|35-39|40-44|45-49|50-54|55-59",
        3: "0-2|3-5|6-8|9-11|12-14|15-17|18-20|21-23|24-26|27-29|30-32|33-35|36-39",
        4: "yes|no",
        6: "left|right",
        7: "left_up|left_low|right_up|right_low|central",
        8: "yes|no",
    }
)
DEBTORS = ordered(
    {
        0: "<0|0<=X<200|>=200|no checking",
        2: "no credits/all paid|all paid|existing paid|delayed previously|"
        "critical/other existing credit",
        3: "new car|used car|furniture/equipment|radio/tv|domestic appliance|repairs|"
        "education|retraining|business|other",
        5: "<100|100<=X<500|500<=X<1000|>=1000|no known savings",
        6: "unemployed|<1|1<=X<4|4<=X<7|>=7",
        8: "male div/sep|female div/dep/mar|male single|male mar/wid",
        9: "none|co applicant|guarantor",
        11: "real estate|life insurance|car|no known property",
        13: "bank|stores|none",
        14: "rent|own|for free",
        16: "unemp/unskilled non res|unskilled resident|skilled|high qualif/self emp/mgmt",
        18: "none|yes",
        19: "yes|no",
    }
)
VOTES = Recipe(16, "democrat", "republican", orders=dict.fromkeys(range(16), "ny"))
RECIPES = {
    "promoters": Recipe(57, "+", "-", orders=dict.fromkeys(range(57), "acgt")),
    "planning-relax": Recipe(12, "1", "2"),
    "colic": Recipe(
        22,
        "yes",
        "no",
        orders=HORSES,
        max_missing=83,
        without=(2, 4),  # rectal temperature, respiratory rate
    ),
    "parkinsons": Recipe(22, "1", "0"),
    "colic.ORIG": Recipe(27, "1", "2", max_missing=65),
    "sonar": Recipe(60, "Mine", "Rock"),
    "vote": VOTES,
    "house": VOTES,
    "heart": Recipe(13, "present", "absent"),
    "breast-cancer": Recipe(
        9,
        "recurrence-events",
        "no-recurrence-events",
        orders=PATIENTS,
    ),
    "haberman": Recipe(
        3,
        "1",
        "2",
        orders=ordered({1: "58|59|60|61|62|63|64|65|66|67|68|69"}),
        one_hot=True,
    ),
    "vehicle": Recipe(18, "bus", "saab"),
    "clean1": Recipe(166, "1", "0"),
    "isolet": Recipe(617, "1", "2"),
    "credit-a": Recipe(15, "+", "-", orders=CREDIT_APPROVAL),
    "austra": Recipe(14, "1", "0"),
    "australian": Recipe(15, "+", "-", orders=CREDIT_APPROVAL, one_hot=True, fill=True),
    "german": Recipe(
        20,
        "bad",
        "good",
        orders=DEBTORS,
        one_hot=True,
    ),
}
