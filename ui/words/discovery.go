package words

import "fmt"

// FirstOf returns the first of several names, and how many more there are.
func FirstOf(names []string) string {
	switch len(names) {
	case 0:
		return ""
	case 1:
		return names[0]
	}
	return fmt.Sprintf("%s +%d", names[0], len(names)-1)
}
