package words

import (
	"fmt"
	"strings"
)

// maxNames is how many names Few lists.
const maxNames = 5

// Few lists the first of the names, and says how many more there are.
func Few(names []string) string {
	if more := len(names) - maxNames; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:maxNames], ", "), more)
	}
	return strings.Join(names, ", ")
}
