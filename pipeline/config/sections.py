"""What every section of the configuration is made of."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
NotNegative = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Share = Annotated[float, Field(gt=0, le=1)]
Part = Annotated[float, Field(gt=0, lt=1)]
Count = Annotated[int, Field(ge=1)]


class Section(BaseModel):
    """Keys that belong together; unknown ones are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)
