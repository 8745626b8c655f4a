package provider

import "fmt"

// FullError says that a machine on the captain's disk was stopped, and is not brought back, because it uses more space
// than it may.
type FullError struct {
	Used, Most int64  // bytes
	Setting    string // the setting that has the limit
	Dir        string // the directory of its files
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
