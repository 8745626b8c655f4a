package provider

import "fmt"

// FullError is why a machine that shares the captain's disk is stopped, and is not brought back: it uses more than it may.
type FullError struct {
	Used, Most int64  // bytes
	Setting    string // that says how many
	Dir        string // where its files are
}

func (e *FullError) Error() string {
	return fmt.Sprintf("it uses %s of this machine's disk, and may use %s (%s): stopped; raise that, or remove files in %s", size(e.Used), size(e.Most), e.Setting, e.Dir)
}

func size(bytes int64) string {
	if bytes < 1<<30 {
		return fmt.Sprintf("%d MB", bytes>>20)
	}
	return fmt.Sprintf("%.1f GB", float64(bytes)/(1<<30))
}
