package proto

import (
	"fmt"

	"github.com/dustin/go-humanize"
)

// Ignored counts the files in a ship's clone that git ignores, and that no merge brings home.
type Ignored struct {
	Files        int    `json:"files"`
	Bytes        int64  `json:"bytes"`
	Largest      string `json:"largest,omitempty"` // its path in the clone
	LargestBytes int64  `json:"largestBytes,omitempty"`
}

// ListText says in words how many there are, and which is the largest.
func (i Ignored) ListText() string {
	size := func(n int64) string { return humanize.IBytes(uint64(max(0, n))) }
	if i.Files == 1 {
		return fmt.Sprintf("1 file that git ignores: %s, %s", i.Largest, size(i.Bytes))
	}
	return fmt.Sprintf("%d files that git ignores, %s; the largest is %s, %s", i.Files, size(i.Bytes), i.Largest, size(i.LargestBytes))
}
