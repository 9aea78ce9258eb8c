# Copyright 2026 The nnburst authors
# SPDX-License-Identifier: Apache-2.0
"""Types of the part in C++; tests/python checks them against it."""

import os
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, SupportsIndex, TypedDict

import numpy as np
import numpy.typing as npt

__version__: str

_Path = str | bytes | os.PathLike[str] | os.PathLike[bytes]

class Error(RuntimeError):
    status: ErrorStatus
    message: str

class DeviceUnavailableError(Error): ...
class GeneralFailureError(Error): ...
class OutputInsufficientSizeError(Error): ...
class InvalidArgumentError(Error): ...
class MissedDeadlineError(Error): ...
class ResourceExhaustedError(Error): ...

class Timing(TypedDict):
    on_device: float | None
    in_driver: float | None

class Operand:
    @property
    def name(self) -> str: ...
    @property
    def type(self) -> OperandType: ...
    @property
    def dtype(self) -> np.dtype[Any]: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def scale(self) -> float: ...
    @property
    def zero_point(self) -> int: ...

class Model:
    @property
    def inputs(self) -> list[Operand]: ...
    @property
    def outputs(self) -> list[Operand]: ...
    def with_signature(
        self,
        *,
        inputs: Sequence[str] | None = None,
        outputs: Sequence[str] | None = None,
        states: Sequence[tuple[int, int]] = ...,
    ) -> Model: ...

class ModelBuilder:
    def __init__(self) -> None: ...
    def add_tensor(
        self, type: OperandType, shape: Sequence[int], *, scale: float = ..., zero_point: int = ...
    ) -> int: ...
    def add_constant(
        self, type: OperandType, values: npt.NDArray[Any], *, scale: float = ..., zero_point: int = ...
    ) -> int: ...
    def add_scalar(self, value: SupportsIndex | float | np.bool_) -> int: ...
    def add_omitted(self, type: OperandType) -> int: ...
    def add_operation(self, type: OperationType, inputs: Sequence[int], outputs: Sequence[int]) -> None: ...
    def build(self, inputs: Sequence[int], outputs: Sequence[int]) -> Model: ...

class PreparedModel:
    @property
    def inputs(self) -> list[Operand]: ...
    @property
    def outputs(self) -> list[Operand]: ...

class Device:
    @property
    def hal_version(self) -> str: ...
    @property
    def version(self) -> str: ...
    @property
    def status(self) -> DeviceStatus: ...
    def supported_operations(self, model: Model) -> list[bool]: ...
    def prepare(
        self,
        model: Model,
        *,
        preference: ExecutionPreference = ...,
        priority: Priority = ...,
        timeout: float | None = None,
    ) -> PreparedModel: ...

class SessionBase:
    def __init__(
        self,
        model: PreparedModel,
        *,
        input_shapes: Mapping[str, Sequence[int]] = ...,
        wait: str = ...,
        measure: bool = ...,
        loop_timeout: float | None = None,
    ) -> None: ...
    @property
    def input_operands(self) -> list[Operand]: ...
    @property
    def output_operands(self) -> list[Operand]: ...
    def input(self, key: str | int = ...) -> npt.NDArray[Any]: ...
    def output(self, key: str | int = ...) -> npt.NDArray[Any]: ...
    def run(self, timeout: float | None = None) -> None: ...
    def submit(self, timeout: float | None = None) -> None: ...
    def wait(self, limit: float | None = None) -> bool: ...
    @property
    def is_running(self) -> bool: ...
    def is_done(self) -> bool: ...
    def fileno(self) -> int: ...
    def arm_completion(self) -> bool: ...
    def reset_states(self) -> None: ...
    @property
    def is_memory_in_use(self) -> bool: ...
    def wait_for_memory(self, timeout: float | None = None) -> None: ...
    @property
    def timing(self) -> Timing: ...

def load_tflite(
    path: _Path,
    *,
    keep_open_sizes: bool = ...,
    input_shapes: Mapping[str, Sequence[int]] = ...,
    integers_fit_int32: bool = ...,
) -> Model: ...
def import_tflite(
    contents: bytes,
    *,
    keep_open_sizes: bool = ...,
    input_shapes: Mapping[str, Sequence[int]] = ...,
    integers_fit_int32: bool = ...,
) -> Model: ...
def mobilenet_v1(*, width: float = ..., resolution: int = ..., quantized: bool = ...) -> Model: ...
def streaming_lstm(*, features: int = ..., cells: int = ...) -> Model: ...
def local_device(**options: Any) -> Device: ...
def spawn_driver(program: _Path = ..., **options: Any) -> Device: ...
def connect(path: _Path) -> Device: ...
def supervise_driver(program: _Path = ..., *, wait_at_most: float | None = ..., **options: Any) -> Device: ...
def set_log_level(level: LogLevel) -> None: ...

class ErrorStatus:
    __members__: ClassVar[dict[str, ErrorStatus]]
    DEVICE_UNAVAILABLE: ClassVar[ErrorStatus]
    GENERAL_FAILURE: ClassVar[ErrorStatus]
    OUTPUT_INSUFFICIENT_SIZE: ClassVar[ErrorStatus]
    INVALID_ARGUMENT: ClassVar[ErrorStatus]
    MISSED_DEADLINE_TRANSIENT: ClassVar[ErrorStatus]
    MISSED_DEADLINE_PERSISTENT: ClassVar[ErrorStatus]
    RESOURCE_EXHAUSTED_TRANSIENT: ClassVar[ErrorStatus]
    RESOURCE_EXHAUSTED_PERSISTENT: ClassVar[ErrorStatus]
    def __init__(self, value: int) -> None: ...
    @property
    def name(self) -> str: ...
    @property
    def value(self) -> int: ...
    def __int__(self) -> int: ...
    def __index__(self) -> int: ...
    def __hash__(self) -> int: ...
    def __eq__(self, other: object) -> bool: ...
    def __ne__(self, other: object) -> bool: ...


class LogLevel:
    __members__: ClassVar[dict[str, LogLevel]]
    TRACE: ClassVar[LogLevel]
    DEBUGGING: ClassVar[LogLevel]
    INFO: ClassVar[LogLevel]
    WARNING: ClassVar[LogLevel]
    ERROR: ClassVar[LogLevel]
    CRITICAL: ClassVar[LogLevel]
    OFF: ClassVar[LogLevel]
    def __init__(self, value: int) -> None: ...
    @property
    def name(self) -> str: ...
    @property
    def value(self) -> int: ...
    def __int__(self) -> int: ...
    def __index__(self) -> int: ...
    def __hash__(self) -> int: ...
    def __eq__(self, other: object) -> bool: ...
    def __ne__(self, other: object) -> bool: ...


class DeviceStatus:
    __members__: ClassVar[dict[str, DeviceStatus]]
    AVAILABLE: ClassVar[DeviceStatus]
    BUSY: ClassVar[DeviceStatus]
    OFFLINE: ClassVar[DeviceStatus]
    UNKNOWN: ClassVar[DeviceStatus]
    def __init__(self, value: int) -> None: ...
    @property
    def name(self) -> str: ...
    @property
    def value(self) -> int: ...
    def __int__(self) -> int: ...
    def __index__(self) -> int: ...
    def __hash__(self) -> int: ...
    def __eq__(self, other: object) -> bool: ...
    def __ne__(self, other: object) -> bool: ...


class ExecutionPreference:
    __members__: ClassVar[dict[str, ExecutionPreference]]
    LOW_POWER: ClassVar[ExecutionPreference]
    FAST_SINGLE_ANSWER: ClassVar[ExecutionPreference]
    SUSTAINED_SPEED: ClassVar[ExecutionPreference]
    def __init__(self, value: int) -> None: ...
    @property
    def name(self) -> str: ...
    @property
    def value(self) -> int: ...
    def __int__(self) -> int: ...
    def __index__(self) -> int: ...
    def __hash__(self) -> int: ...
    def __eq__(self, other: object) -> bool: ...
    def __ne__(self, other: object) -> bool: ...


class Priority:
    __members__: ClassVar[dict[str, Priority]]
    LOW: ClassVar[Priority]
    MEDIUM: ClassVar[Priority]
    HIGH: ClassVar[Priority]
    def __init__(self, value: int) -> None: ...
    @property
    def name(self) -> str: ...
    @property
    def value(self) -> int: ...
    def __int__(self) -> int: ...
    def __index__(self) -> int: ...
    def __hash__(self) -> int: ...
    def __eq__(self, other: object) -> bool: ...
    def __ne__(self, other: object) -> bool: ...


class OperandType:
    __members__: ClassVar[dict[str, OperandType]]
    FLOAT32: ClassVar[OperandType]
    INT32: ClassVar[OperandType]
    UINT32: ClassVar[OperandType]
    TENSOR_FLOAT32: ClassVar[OperandType]
    TENSOR_INT32: ClassVar[OperandType]
    TENSOR_QUANT8_ASYMM: ClassVar[OperandType]
    BOOL: ClassVar[OperandType]
    TENSOR_QUANT16_SYMM: ClassVar[OperandType]
    TENSOR_FLOAT16: ClassVar[OperandType]
    TENSOR_BOOL8: ClassVar[OperandType]
    FLOAT16: ClassVar[OperandType]
    TENSOR_QUANT8_SYMM_PER_CHANNEL: ClassVar[OperandType]
    TENSOR_QUANT16_ASYMM: ClassVar[OperandType]
    TENSOR_QUANT8_SYMM: ClassVar[OperandType]
    TENSOR_QUANT8_ASYMM_SIGNED: ClassVar[OperandType]
    def __init__(self, value: int) -> None: ...
    @property
    def name(self) -> str: ...
    @property
    def value(self) -> int: ...
    def __int__(self) -> int: ...
    def __index__(self) -> int: ...
    def __hash__(self) -> int: ...
    def __eq__(self, other: object) -> bool: ...
    def __ne__(self, other: object) -> bool: ...


class OperationType:
    __members__: ClassVar[dict[str, OperationType]]
    ADD: ClassVar[OperationType]
    AVERAGE_POOL_2D: ClassVar[OperationType]
    CONCATENATION: ClassVar[OperationType]
    CONV_2D: ClassVar[OperationType]
    DEPTHWISE_CONV_2D: ClassVar[OperationType]
    DEPTH_TO_SPACE: ClassVar[OperationType]
    DEQUANTIZE: ClassVar[OperationType]
    EMBEDDING_LOOKUP: ClassVar[OperationType]
    FLOOR: ClassVar[OperationType]
    FULLY_CONNECTED: ClassVar[OperationType]
    HASHTABLE_LOOKUP: ClassVar[OperationType]
    L2_NORMALIZATION: ClassVar[OperationType]
    L2_POOL_2D: ClassVar[OperationType]
    LOCAL_RESPONSE_NORMALIZATION: ClassVar[OperationType]
    LOGISTIC: ClassVar[OperationType]
    LSH_PROJECTION: ClassVar[OperationType]
    LSTM: ClassVar[OperationType]
    MAX_POOL_2D: ClassVar[OperationType]
    MUL: ClassVar[OperationType]
    RELU: ClassVar[OperationType]
    RELU1: ClassVar[OperationType]
    RELU6: ClassVar[OperationType]
    RESHAPE: ClassVar[OperationType]
    RESIZE_BILINEAR: ClassVar[OperationType]
    RNN: ClassVar[OperationType]
    SOFTMAX: ClassVar[OperationType]
    SPACE_TO_DEPTH: ClassVar[OperationType]
    SVDF: ClassVar[OperationType]
    TANH: ClassVar[OperationType]
    BATCH_TO_SPACE_ND: ClassVar[OperationType]
    DIV: ClassVar[OperationType]
    MEAN: ClassVar[OperationType]
    PAD: ClassVar[OperationType]
    SPACE_TO_BATCH_ND: ClassVar[OperationType]
    SQUEEZE: ClassVar[OperationType]
    STRIDED_SLICE: ClassVar[OperationType]
    SUB: ClassVar[OperationType]
    TRANSPOSE: ClassVar[OperationType]
    ABS: ClassVar[OperationType]
    ARGMAX: ClassVar[OperationType]
    ARGMIN: ClassVar[OperationType]
    AXIS_ALIGNED_BBOX_TRANSFORM: ClassVar[OperationType]
    BIDIRECTIONAL_SEQUENCE_LSTM: ClassVar[OperationType]
    BIDIRECTIONAL_SEQUENCE_RNN: ClassVar[OperationType]
    BOX_WITH_NMS_LIMIT: ClassVar[OperationType]
    CAST: ClassVar[OperationType]
    CHANNEL_SHUFFLE: ClassVar[OperationType]
    DETECTION_POSTPROCESSING: ClassVar[OperationType]
    EQUAL: ClassVar[OperationType]
    EXP: ClassVar[OperationType]
    EXPAND_DIMS: ClassVar[OperationType]
    GATHER: ClassVar[OperationType]
    GENERATE_PROPOSALS: ClassVar[OperationType]
    GREATER: ClassVar[OperationType]
    GREATER_EQUAL: ClassVar[OperationType]
    GROUPED_CONV_2D: ClassVar[OperationType]
    HEATMAP_MAX_KEYPOINT: ClassVar[OperationType]
    INSTANCE_NORMALIZATION: ClassVar[OperationType]
    LESS: ClassVar[OperationType]
    LESS_EQUAL: ClassVar[OperationType]
    LOG: ClassVar[OperationType]
    LOGICAL_AND: ClassVar[OperationType]
    LOGICAL_NOT: ClassVar[OperationType]
    LOGICAL_OR: ClassVar[OperationType]
    LOG_SOFTMAX: ClassVar[OperationType]
    MAXIMUM: ClassVar[OperationType]
    MINIMUM: ClassVar[OperationType]
    NEG: ClassVar[OperationType]
    NOT_EQUAL: ClassVar[OperationType]
    PAD_V2: ClassVar[OperationType]
    POW: ClassVar[OperationType]
    PRELU: ClassVar[OperationType]
    QUANTIZE: ClassVar[OperationType]
    QUANTIZED_16BIT_LSTM: ClassVar[OperationType]
    RANDOM_MULTINOMIAL: ClassVar[OperationType]
    REDUCE_ALL: ClassVar[OperationType]
    REDUCE_ANY: ClassVar[OperationType]
    REDUCE_MAX: ClassVar[OperationType]
    REDUCE_MIN: ClassVar[OperationType]
    REDUCE_PROD: ClassVar[OperationType]
    REDUCE_SUM: ClassVar[OperationType]
    ROI_ALIGN: ClassVar[OperationType]
    ROI_POOLING: ClassVar[OperationType]
    RSQRT: ClassVar[OperationType]
    SELECT: ClassVar[OperationType]
    SIN: ClassVar[OperationType]
    SLICE: ClassVar[OperationType]
    SPLIT: ClassVar[OperationType]
    SQRT: ClassVar[OperationType]
    TILE: ClassVar[OperationType]
    TOPK_V2: ClassVar[OperationType]
    TRANSPOSE_CONV_2D: ClassVar[OperationType]
    UNIDIRECTIONAL_SEQUENCE_LSTM: ClassVar[OperationType]
    UNIDIRECTIONAL_SEQUENCE_RNN: ClassVar[OperationType]
    RESIZE_NEAREST_NEIGHBOR: ClassVar[OperationType]
    QUANTIZED_LSTM: ClassVar[OperationType]
    IF: ClassVar[OperationType]
    WHILE: ClassVar[OperationType]
    ELU: ClassVar[OperationType]
    HARD_SWISH: ClassVar[OperationType]
    FILL: ClassVar[OperationType]
    RANK: ClassVar[OperationType]
    def __init__(self, value: int) -> None: ...
    @property
    def name(self) -> str: ...
    @property
    def value(self) -> int: ...
    def __int__(self) -> int: ...
    def __index__(self) -> int: ...
    def __hash__(self) -> int: ...
    def __eq__(self, other: object) -> bool: ...
    def __ne__(self, other: object) -> bool: ...
