"""Reading the YAML files of the language, with errors that name the file and the entry."""

from pathlib import Path
from typing import TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from encoder_atlas.errors import DataError
from encoder_atlas.text.project_data import project_data

Model = TypeVar("Model", bound=BaseModel)
BOOLEAN = "tag:yaml.org,2002:bool"


class _WordLoader(yaml.SafeLoader):
    """Reads on, off, yes and no as the words that they are; only true and false are truth values."""

    yaml_implicit_resolvers = {  # noqa: RUF012
        letter: [(tag, pattern) for tag, pattern in resolvers if tag != BOOLEAN or letter in "tTfF"]
        for letter, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


def language_file(name: str) -> Path:
    """A file of `data/grammar/language/`."""
    return project_data(f"grammar/language/{name}")


def read_yaml(path: Path, model: type[Model]) -> Model:
    """Read one file as ``model``.

    Raises:
        DataError: naming the file, and the place and value of each fault.
    """
    try:
        return model.model_validate(yaml.load(path.read_text(encoding="utf-8"), _WordLoader))
    except ValidationError as error:
        faults = "; ".join(
            f"{'.'.join(map(str, fault['loc'])) or 'the file'}: {fault['msg']}" for fault in error.errors()
        )
        raise DataError(f"{path} is no usable grammar: {faults}") from error
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise DataError(f"{path} is no usable grammar: {error}") from error
