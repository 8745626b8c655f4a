package retry

import (
	"context"
	"fmt"
	"time"
)

// Late is the error of a call that got no answer within that time. It counts as context.DeadlineExceeded, and can be the cause of a
// context.
type Late time.Duration

func (l Late) Error() string { return fmt.Sprintf("no answer came within %s", time.Duration(l)) }

// Is reports whether target is context.DeadlineExceeded.
func (Late) Is(target error) bool { return target == context.DeadlineExceeded }
