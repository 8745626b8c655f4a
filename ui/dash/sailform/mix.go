package sailform

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// longestMix is how many characters the field takes.
const longestMix = 100

// chooseProvider handles a key for the field of providers: it chooses one of the words, or takes a typed mix of
// several with numbers. A character that continues a word extends the present value.
func (f *Form) chooseProvider(key tea.KeyPressMsg) tea.Cmd {
	c, holds := &f.provider, f.preview.Provider.Value
	text, k := c.Chosen, key.String()
	whole := text == "" || slices.Contains(c.Options, text)
	switch {
	case k == "backspace" && !whole:
		text = text[:len(text)-1]
	case len(k) != 1 || !strings.Contains("abcdefghijklmnopqrstuvwxyz0123456789=,", k):
		return f.choose(key, c, holds)
	case k >= "a" && k <= "z" && whole:
		text = k
	case text == "":
		text = holds + k
	default:
		text += k
	}
	if text == c.Chosen || len(text) > longestMix {
		return nil
	}
	c.Chosen, f.unwalled, f.agreed = text, nil, false
	return f.changed()
}
