package taskpane

import (
	"strings"
	"testing"

	"ocaptain/theme"
)

// What is kept between frames follows the theme.
func TestThemeChanges(t *testing.T) {
	t.Cleanup(func() { theme.Activate(theme.Terminal) })
	for name, make := range states {
		theme.Activate(theme.Dark)
		s := make()
		dark := strings.Join(s.View(100, 40), "\n")
		for _, other := range []theme.Name{theme.Light, theme.Contrast, theme.Mono} {
			theme.Activate(other)
			kept := strings.Join(s.View(100, 40), "\n")
			fresh := strings.Join(make().View(100, 40), "\n")
			if kept != fresh {
				t.Errorf("%s keeps colours of another theme in %s", name, other)
			}
			if other == theme.Mono && plain([]string{kept}) != plain([]string{dark}) {
				t.Errorf("%s says less without colour", name)
			}
		}
	}
}
