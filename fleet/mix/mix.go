// Package mix says which providers the ships of a voyage come from, and how many from each.
package mix

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Mix is where a voyage's ships come from. As text it is one provider, local, or several with
// how many ships come from each: sprites=3,hosts=2. Ships get their numbers in that order.
type Mix []Part

// Part is what comes from one provider.
type Part struct {
	Provider string
	Ships    int // 0 when that is said elsewhere, as only a single part may
}

// maxOfOne bounds the ships of one provider: more are a slip of the keyboard.
const maxOfOne = 1000

// Parse reads a mix of providers that are known. Its error names what is wrong and what would do.
func Parse(text string, known []string) (Mix, error) {
	var m Mix
	for word := range strings.SplitSeq(text, ",") {
		name, number, counted := strings.Cut(strings.TrimSpace(word), "=")
		p := Part{Provider: strings.TrimSpace(name)}
		if !slices.Contains(known, p.Provider) {
			return nil, fmt.Errorf("there is no provider %q; there are: %s", p.Provider, strings.Join(known, ", "))
		}
		if m.Has(p.Provider) {
			return nil, fmt.Errorf("provider %s is named twice; say once how many ships come from it", p.Provider)
		}
		if counted {
			n, err := strconv.Atoi(strings.TrimSpace(number))
			if err != nil || n < 1 || n > maxOfOne {
				return nil, fmt.Errorf("%.40q is no number of ships for %s; say 1 to %d, like %s=2", number, p.Provider, maxOfOne, p.Provider)
			}
			p.Ships = n
		}
		m = append(m, p)
	}
	for _, p := range m {
		if len(m) > 1 && p.Ships == 0 {
			return nil, fmt.Errorf("say how many ships come from %s: ships come from more than one provider, like %s", p.Provider, m.example())
		}
	}
	return m, nil
}

// example is the mix with a number wherever it lacks one.
func (m Mix) example() Mix {
	all := slices.Clone(m)
	for i := range all {
		all[i].Ships = max(1, all[i].Ships)
	}
	return all
}

// Has reports whether ships come from a provider.
func (m Mix) Has(name string) bool {
	return slices.ContainsFunc(m, func(p Part) bool { return p.Provider == name })
}

// ShipCount is how many ships there are in all, 0 when the mix does not say.
func (m Mix) ShipCount() int {
	n := 0
	for _, p := range m {
		n += p.Ships
	}
	return n
}

// ForShips is the mix for n ships. A single provider gives all of them; of several the numbers stand.
func (m Mix) ForShips(n int) Mix {
	if len(m) != 1 {
		return m
	}
	return Mix{{m[0].Provider, n}}
}

// Several reports whether there is more than one provider.
func (m Mix) Several() bool { return len(m) > 1 }

// AsText is how voyage.json keeps the mix: a single provider is a word, and its number is the voyage's.
func (m Mix) AsText() string {
	if len(m) == 1 {
		return m[0].Provider
	}
	return m.String()
}

func (m Mix) String() string {
	words := make([]string, len(m))
	for i, p := range m {
		if words[i] = p.Provider; p.Ships > 0 {
			words[i] += "=" + strconv.Itoa(p.Ships)
		}
	}
	return strings.Join(words, ",")
}
