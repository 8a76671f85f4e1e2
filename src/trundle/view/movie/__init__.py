"""Movies as files, rendered without a display: triangles into a depth buffer, frames into GIF or MP4."""
