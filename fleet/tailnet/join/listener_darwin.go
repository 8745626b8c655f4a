package join

import (
	"context"
	"errors"
)

// listener is not needed, as no ship that joins is a Mac.
func listener(context.Context, string) (int, error) { return 0, errors.ErrUnsupported }
