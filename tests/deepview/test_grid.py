import numpy as np
import pytest

from encoder_atlas.deepview import DeepViewSettings, as_classifier, certainty, draw_background
from encoder_atlas.deepview.grid import Background, extent_of
from encoder_atlas.deepview.inverse import InverseMap


def test_the_grid_reaches_a_tenth_beyond_the_points() -> None:
    embedding = np.array([[0.0, 10.0], [10.0, 30.0], [5.0, 20.0]], dtype=np.float32)
    assert extent_of(embedding, 0.1) == (-1.0, 11.0, 8.0, 32.0)


def test_certainty_by_hand() -> None:
    # The entropy of (1/4, 3/4) is .811278 bits.
    rows = np.array([[0.5, 0.5], [1.0, 0.0], [0.25, 0.75]])
    np.testing.assert_allclose(certainty(rows), [0, 1, 0.188722], atol=1e-6)
    np.testing.assert_allclose(certainty(np.full((1, 3), 1 / 3)), [0], atol=1e-12)


def test_relative_certainty_depends_on_the_plot() -> None:
    rows = np.array([[0.99, 0.01], [1.0, 0.0], [0.999, 0.001]])
    relative = certainty(rows, "relative")
    assert relative[0] == 0, "the least certain place is white however certain it is"
    assert certainty(rows)[0] > 0.9
    share = certainty(rows[2:])[0] - 1, certainty(rows[:1])[0] - 1
    assert relative[2] == pytest.approx(1 - 1.2 * share[0] / share[1])
    np.testing.assert_allclose(certainty(np.array([[1.0, 0.0]]), "relative"), [1])


def test_the_background_is_the_classifier_at_the_image_of_every_node() -> None:
    rng = np.random.default_rng(0)
    embedding, points = rng.normal(size=(30, 2)).astype(np.float32), rng.normal(size=(30, 4))

    def predict(rows: np.ndarray) -> np.ndarray:
        p = 1 / (1 + np.exp(-3 * rows[:, 0]))
        return np.column_stack([p, 1 - p])

    settings = DeepViewSettings(resolution=7)
    inverse = InverseMap(embedding, points, settings)
    drawn = draw_background(as_classifier(predict), inverse, embedding, settings)
    x_min, x_max, y_min, y_max = drawn.extent
    for row, y in enumerate(np.linspace(y_min, y_max, 7)):
        for col, x in enumerate(np.linspace(x_min, x_max, 7)):
            answer = predict(inverse(np.array([[x, y]])))
            assert drawn.grid_class[row, col] == answer.argmax()
            assert drawn.grid_certainty[row, col] == pytest.approx(certainty(answer)[0], abs=1e-9)


def test_the_nearest_node_is_found() -> None:
    drawn = Background((0.0, 2.0, 10.0, 11.0), np.array([[0, 1, 2], [3, 4, 5]]), np.zeros((2, 3)))
    places = np.array([[0.4, 10.4], [0.6, 10.4], [1.9, 10.6], [9.0, -9.0]])
    assert drawn.at(places).tolist() == [0, 1, 5, 2]
