"""What backend and control tests share: real servers, signed-in callers and factories."""
