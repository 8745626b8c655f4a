package setup

import (
	"errors"
	"os"
)

func punchHole(*os.File, int64) error { return errors.ErrUnsupported }
