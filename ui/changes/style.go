package changes

import "ocaptain/theme"

// Render returns the line in the style of its kind.
func (l Line) Render(text string) string {
	switch l.Kind {
	case Head:
		return theme.Title.Render(text)
	case Steers:
		return theme.Bad.Render(text)
	case Meta:
		return theme.Dim.Render(text)
	case Hunk:
		return theme.Hunk.Render(text)
	case Added:
		return theme.Added.Render(text)
	case Removed:
		return theme.Removed.Render(text)
	}
	return text
}
