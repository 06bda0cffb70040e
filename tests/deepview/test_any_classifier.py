"""A reader's own texts and scikit-learn classifier, from the file to the live map."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator
from sklearn.calibration import CalibratedClassifierCV
from sklearn.decomposition import TruncatedSVD
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.svm import LinearSVC

from encoder_atlas.deepview import DecisionFrame, DeepView, DeepViewSettings
from encoder_atlas.errors import DataError, SettingsError
from encoder_atlas.show import DecisionMap

WORDS = {
    "sport": ["goal", "match", "team", "coach", "league", "striker", "keeper", "referee"],
    "weather": ["rain", "storm", "wind", "cloud", "sunny", "frost", "thunder", "forecast"],
    "kitchen": ["onion", "butter", "oven", "recipe", "garlic", "simmer", "salt", "dough"],
}
SETTINGS = DeepViewSettings(n_neighbors=10, resolution=10, segments=4)


@pytest.fixture(scope="module")
def csv(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """120 texts of five words, four of their own topic and one of any, with their topics."""
    rng = np.random.default_rng(0)
    every = [word for words in WORDS.values() for word in words]
    rows = []
    for number in range(120):
        topic = list(WORDS)[number % 3]
        rows.append((" ".join([*rng.choice(WORDS[topic], 4), rng.choice(every)]), topic))
    path = tmp_path_factory.mktemp("own") / "own.csv"
    pd.DataFrame(rows, columns=["text", "topic"]).to_csv(path, index=False)
    return path


def vectors() -> Pipeline:
    return make_pipeline(TfidfVectorizer(), TruncatedSVD(12, random_state=0))


@pytest.mark.parametrize(
    "classifier",
    [
        LogisticRegression(),
        RandomForestClassifier(20, random_state=0),
        CalibratedClassifierCV(LinearSVC(), cv=3),
        make_pipeline(TruncatedSVD(8, random_state=0), LogisticRegression()),
    ],
    ids=lambda classifier: type(classifier).__name__,
)
def test_from_a_file_of_texts_to_the_live_map(csv: Path, classifier: BaseEstimator) -> None:
    table = pd.read_csv(csv)
    points = vectors().fit_transform(table["text"])
    classifier.fit(points, table["topic"])  # type: ignore[attr-defined]
    view = DeepView(classifier, SETTINGS).fit(points, show_progress=False)
    frame = view.frame(0.8)
    names = list(classifier.classes_)  # type: ignore[attr-defined]
    labels = table["topic"].map(names.index).to_numpy()
    shown = DecisionMap([frame], list(table["text"]), labels, names, probabilities=view.probabilities)

    assert names == sorted(WORDS)
    assert shown.class_names == names
    assert (frame.predicted == labels).mean() > 0.9
    assert frame.q_knn < 0.15
    own = labels[frame.neighbours] == labels[:, None]
    assert own.mean() > 0.8


def test_the_reader_can_ask_about_a_text_of_their_own(csv: Path) -> None:
    # The classifier and its vectors answer for new texts as for those of the file; the map holds both.
    table = pd.read_csv(csv)
    vectorizer = vectors()
    points = vectorizer.fit_transform(table["text"])
    classifier = LogisticRegression(C=10).fit(points, table["topic"])
    both = np.concatenate([points, vectorizer.transform(["rain on the keeper of the league"])])
    frame: DecisionFrame = DeepView(classifier, SETTINGS).fit(both, show_progress=False).frame(0.2)
    assert classifier.classes_[frame.predicted[-1]] == "sport"


def test_more_classes_than_colours_are_drawn_by_name() -> None:
    rng = np.random.default_rng(0)
    labels = np.arange(150) % 25
    names = [f"topic {kind}" for kind in range(25)]
    points = rng.normal(size=(150, 30)) + 3 * rng.normal(size=(25, 30))[labels]
    classifier = LogisticRegression().fit(points, labels)
    view = DeepView(classifier, SETTINGS).fit(points, show_progress=False)
    frame = view.frame(0.8)
    shown = DecisionMap([frame], names * 6, labels, names, probabilities=view.probabilities)
    assert len(set(shown.colours)) == 25
    assert set(frame.predicted) == set(range(25))
    assert frame.q_knn < 0.2
    with pytest.raises(DataError, match="24"):
        DecisionMap([frame], names * 6, labels, names[:24], probabilities=view.probabilities)


def test_texts_instead_of_points_are_refused(csv: Path) -> None:
    texts = pd.read_csv(csv)["text"].to_numpy(dtype=str)
    whole = make_pipeline(vectors(), LogisticRegression()).fit(texts, np.arange(120) % 3)
    with pytest.raises(DataError, match="points must be numbers"):
        DeepView(whole, SETTINGS).fit(texts)


def test_a_text_of_unknown_words_has_no_direction_and_is_named(csv: Path) -> None:
    table = pd.read_csv(csv)
    vectorizer = vectors().fit(table["text"])
    points = vectorizer.transform([*table["text"], "xyzzy"])
    classifier = LogisticRegression().fit(points[:-1], table["topic"])
    with pytest.raises(DataError, match="no direction, in row 120: drop them or take metric='euclidean'"):
        DeepView(classifier, SETTINGS).fit(points)
    euclidean = SETTINGS.model_copy(update={"metric": "euclidean"})
    assert len(DeepView(classifier, euclidean).fit(points, show_progress=False).frame().predicted) == 121


def test_a_classifier_without_probabilities_or_fit_is_refused(csv: Path) -> None:
    table = pd.read_csv(csv)
    points = vectors().fit_transform(table["text"])
    with pytest.raises(SettingsError, match="LinearSVC has no predict_proba: wrap it"):
        DeepView(LinearSVC().fit(points, table["topic"]))
    with pytest.raises(SettingsError, match="LogisticRegression is not fitted"):
        DeepView(LogisticRegression())
    other = LogisticRegression().fit(points[:, :5], table["topic"])
    with pytest.raises(DataError, match="points have 12 columns, but the classifier takes 5"):
        DeepView(other, SETTINGS).fit(points)


def test_many_features_go_by_the_nearest_neighbours(csv: Path) -> None:
    # Dense TF-IDF itself, without SVD, and the route that large files take.
    table = pd.read_csv(csv)
    points = TfidfVectorizer(ngram_range=(1, 3)).fit_transform(table["text"]).toarray()
    assert points.shape[1] > 500
    classifier = LogisticRegression(C=10).fit(points, table["topic"])
    settings = SETTINGS.model_copy(update={"neighbour_route": "nearest"})
    view = DeepView(classifier, settings).fit(points, show_progress=False)
    assert view.frame(0.8).q_knn < 0.2
    assert view.neighbours(0.8).certified.all()
