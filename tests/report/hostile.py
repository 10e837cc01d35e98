"""A name that tries to leave every place it is written to."""

HOSTILE = "</script><script>alert('x')</script> <img src=x onerror=\"alert(1)\"> {{ 7 * 7 }} & \u2028<!--"
