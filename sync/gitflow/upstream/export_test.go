package upstream

import (
	"testing"
	"time"
)

// SetQuick sets how long a transfer may take before the repository is asked whether it is there.
func SetQuick(t *testing.T, d time.Duration) {
	was := quickTime
	quickTime = d
	t.Cleanup(func() { quickTime = was })
}
