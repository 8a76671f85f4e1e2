"""A run as a movie: GIF by Pillow, MP4 by the ffmpeg that comes with imageio-ffmpeg."""

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from trundle.atomic_write import check_target, file_path
from trundle.errors import SolveError, StoreError, UnknownNameError
from trundle.messages.arguments import advised
from trundle.messages.preparing import under_way
from trundle.typing import Untyped
from trundle.view.movie.camera import Eye
from trundle.view.movie.painter import EXTRA, USUAL, paint
from trundle.view.scene.make import make_scene
from trundle.view.scene.scene import Scene

if TYPE_CHECKING:
    from trundle.run.run import Run

SPEEDS: Final = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
SHORT, LONG, GOOD = 2.0, 40.0, 8.0  # s: motions in between are shown in real time, others in about the last
MOST: Final = 3000  # frames


@advised()
def save_movie(
    run: "Run",
    path: Path | str,
    fps: float = 25.0,
    speed: float | None = None,
    size: tuple[int, int] = (640, 400),
    azimuth: float | None = None,
    elevation: float | None = None,
    zoom: float = 1.0,
    layers: Collection[str] = (),
) -> Path:
    """Write the motion as .gif or .mp4; no display is needed.

    Parameters
    ----------
    run : Run
    path : str or Path
        Its ending chooses the format; .mp4 needs imageio-ffmpeg (`pip install trundle[view]`).
    fps : float
        Frames a second.
    speed : float, optional
        Seconds of the run per second of the movie; by default 1, or such that a motion shorter than 2 s or longer than
        40 s takes about 8 s.
    size : tuple
        Width and height in pixels.
    azimuth, elevation : float, optional
        Direction of view (rad).
    zoom : float
    layers : collection of str
        Shown in addition to the usual ones: "contacts", "contact forces", "reactions", "frames".

    Returns
    -------
    Path
        Of the file that was written.
    """
    target = file_path(path)
    check_target(target)
    if target.suffix.lower() not in (".gif", ".mp4"):
        raise StoreError(f"cannot write the movie {target}: its name must end in .gif or .mp4.")
    for name, value in (("fps", fps), ("zoom", zoom), ("speed", 1.0 if speed is None else speed)):
        if not (np.isfinite(value) and value > 0):
            raise SolveError(f"{name}={value!r}: a movie needs a number greater than zero.")
    for layer in layers:
        if layer not in USUAL | EXTRA:
            raise UnknownNameError(layer, sorted(USUAL | EXTRA), "layer of a movie")
    width, height = (int(v) // 2 * 2 for v in size)  # movies want even numbers
    if min(width, height) < 16:
        raise SolveError(f"size={size!r}: a movie has at least 16 pixels in each direction.")
    scene = make_scene(run, plots=())
    rate = usual_speed(float(run.time[-1] - run.time[0])) if speed is None else speed
    count = int((run.time[-1] - run.time[0]) / rate * fps) + 1
    if count > MOST:
        raise SolveError(f"this movie would have {count} frames, more than {MOST}: give a higher speed or a lower fps.")
    times = np.minimum(run.time[0] + rate / fps * np.arange(count), run.time[-1])
    shown = USUAL | frozenset(layers)
    with under_way(f"movie {target.name}") as tell:

        def drawn() -> Iterator[Image.Image]:
            for k, t in enumerate(times):
                tell(f"frame {k + 1} of {count}")
                yield picture(scene, float(t), (width, height), azimuth, elevation, zoom, shown)

        if target.suffix.lower() == ".gif":
            _write_gif(target, drawn(), fps)
        else:
            _write_mp4(target, drawn(), fps, (width, height))
    return target


def usual_speed(duration: float) -> float:
    """Seconds of the run in a second of the movie."""
    if SHORT < duration < LONG:
        return 1.0
    wanted = max(duration, 1e-9) / GOOD
    return min(SPEEDS, key=lambda s: abs(np.log(s / wanted)))


def picture(
    scene: Scene,
    t: float,
    size: tuple[int, int],
    azimuth: float | None = None,
    elevation: float | None = None,
    zoom: float = 1.0,
    layers: frozenset[str] = USUAL,
    caption: bool = True,
) -> Image.Image:
    """The scene at a time, with its name and the time below."""
    eye = Eye.of(scene, t, azimuth, elevation, zoom, size[0] / size[1])
    image = Image.fromarray(paint(scene, t, eye, *size, layers))
    if caption:
        pen, font = ImageDraw.Draw(image), _font(max(11, size[1] // 28))
        digits = int(np.clip(np.ceil(2 - np.log10(max(scene.time[-1] - scene.time[0], 1e-9))), 1, 6))
        pen.text((10, size[1] - 8), f"{scene.name}   {t:.{digits}f} s", fill=(70, 74, 80), font=font, anchor="ls")
    return image


def _font(points: int) -> Untyped:
    from matplotlib import get_data_path

    return ImageFont.truetype(str(Path(get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf"), points)


def palette_of(image: Image.Image) -> Image.Image:
    """The 256 colours of a GIF: half of them those that differ most, which the bodies have, and half those that are
    seen most, which the floor and its shadows have.
    """
    methods = (Image.Quantize.MAXCOVERAGE, Image.Quantize.MEDIANCUT)
    halves = [image.quantize(128, method=method).getpalette() or [] for method in methods]
    made = Image.new("P", (1, 1))
    made.putpalette([number for half in halves for number in half[: 3 * 128]])
    return made


def _write_gif(target: Path, frames: Iterator[Image.Image], fps: float) -> None:
    first = next(frames)
    palette = palette_of(first)

    def flat(image: Image.Image) -> Image.Image:
        return image.quantize(palette=palette, dither=Image.Dither.NONE)

    try:
        flat(first).save(
            target, save_all=True, append_images=map(flat, frames), duration=round(1000 / fps), loop=0, optimize=True
        )
    except OSError as error:
        raise StoreError(f"cannot write the movie {target}: {error}") from error


def _write_mp4(target: Path, frames: Iterator[Image.Image], fps: float, size: tuple[int, int]) -> None:
    try:
        from imageio_ffmpeg import write_frames
    except ImportError as error:
        raise StoreError(
            f"cannot write the movie {target}: imageio-ffmpeg is not installed. Install it with: pip install "
            "'trundle[view]'; a .gif needs nothing."
        ) from error
    writer = write_frames(str(target), size, fps=fps, quality=7, macro_block_size=2, ffmpeg_log_level="error")
    try:
        writer.send(None)
        for frame in frames:
            writer.send(np.ascontiguousarray(np.asarray(frame.convert("RGB"))))
    except OSError as error:
        raise StoreError(f"cannot write the movie {target}: {error}") from error
    finally:
        writer.close()
