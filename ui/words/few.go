package words

import (
	"fmt"
	"strings"
)

// mostNames is how many names Few lists.
const mostNames = 5

// Few lists the first of the names, and says how many more there are.
func Few(names []string) string {
	if more := len(names) - mostNames; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:mostNames], ", "), more)
	}
	return strings.Join(names, ", ")
}
