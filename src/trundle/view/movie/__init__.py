"""Moving pictures as files, painted without a display: triangles into a depth buffer, frames into GIF or MP4."""
