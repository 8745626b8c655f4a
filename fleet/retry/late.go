package retry

import (
	"context"
	"fmt"
	"time"
)

// Late is the error of what had no answer within that time. It is a context.DeadlineExceeded, and fit to be the cause of a context.
type Late time.Duration

func (l Late) Error() string { return fmt.Sprintf("no answer came within %s", time.Duration(l)) }

// Is reports whether target is context.DeadlineExceeded.
func (Late) Is(target error) bool { return target == context.DeadlineExceeded }
