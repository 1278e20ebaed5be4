"""Settings of `rummyref serve`: flag over environment over TOML over default."""

import tomllib
from pathlib import Path
from typing import Literal

from pydantic import Field
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict, TomlConfigSettingsSource

ENV_PREFIX = "RUMMYREF_SERVE_"


class ServeSettings(BaseSettings):
    """Everything that an operator may set.

    Durations are in seconds, as their names say.
    """

    model_config = SettingsConfigDict(env_prefix=ENV_PREFIX, extra="forbid")

    listen: str = Field("127.0.0.1:50051", description="HOST:PORT to listen on; port 0 takes any free one")
    data: Path = Field(Path("rummyref-data"), description="folder of database, replays and logs")
    database_url: str | None = Field(None, description="SQLAlchemy URL; default is SQLite in the data folder")
    tls_cert: Path | None = Field(None, description="PEM file of the certificate chain, for TLS; needs tls_key")
    tls_key: Path | None = Field(None, description="PEM file of the certificate's private key; needs tls_cert")
    power_safe: bool = Field(
        default=False, description="have the record survive a loss of power too; plays then wait for the disk"
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field("info", description="least level that is logged")
    log_format: Literal["console", "json"] = Field("console", description="lines for people or JSON, on stderr")
    shutdown_grace_s: float = Field(5.0, ge=0, le=600, description="time that open calls get when the referee stops")

    @classmethod
    def of_folder(cls, data: Path) -> "ServeSettings":
        """Return where everything is kept in *data*, whatever the environment says of a referee that serves."""
        return cls.model_construct(data=data)

    @property
    def database(self) -> str:
        """URL of the database."""
        return self.database_url or f"sqlite:///{self.data / 'rummyref.db'}"

    @property
    def replays(self) -> Path:
        """Folder of the replay files."""
        return self.data / "replays"

    @property
    def logs(self) -> Path:
        """Folder of the entrants' logs."""
        return self.data / "logs"

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - the library's signature
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - the library's signature
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Read flags first, then the environment, then the TOML file."""
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls)


def load(toml: Path | None, **flags: object) -> ServeSettings:
    """Return the settings of *flags* over the environment over *toml*.

    Raises:
        ValueError: A value or a key is wrong, or *toml* cannot be read.
    """
    if toml is not None and not toml.is_file():
        raise ValueError(f"settings file {toml} does not exist")

    class FromFile(ServeSettings):
        model_config = SettingsConfigDict(env_prefix=ENV_PREFIX, extra="forbid", toml_file=toml)

    given = {name: value for name, value in flags.items() if value is not None}
    try:
        return FromFile(**given)  # type: ignore[arg-type]  # checked by pydantic
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as broken:
        raise ValueError(f"settings file {toml} is not TOML: {broken}") from broken
