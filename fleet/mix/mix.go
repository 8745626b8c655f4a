// Package mix says from which providers the ships of a voyage come, and how many from each.
package mix

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Mix lists the providers of a voyage's ships. As text it is one provider, such as local, or several with numbers of
// ships: sprites=3,hosts=2. Ships are numbered in that order.
type Mix []Part

// Part is a provider and its number of ships.
type Part struct {
	Provider string
	Ships    int // 0 if another setting has the number, which only a single part may do
}

// maxOfOne bounds the ships of one provider; a larger number is a typing error.
const maxOfOne = 1000

// Parse parses a mix of known providers. Its error says what is wrong and what is allowed.
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

// example returns the mix with a number for each part that lacks one.
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

// ShipCount returns the number of all ships, 0 when the mix does not say.
func (m Mix) ShipCount() int {
	n := 0
	for _, p := range m {
		n += p.Ships
	}
	return n
}

// ForShips returns the mix for n ships. A single provider gets all n; a mix of several keeps its numbers.
func (m Mix) ForShips(n int) Mix {
	if len(m) != 1 {
		return m
	}
	return Mix{{m[0].Provider, n}}
}

// Several reports whether there is more than one provider.
func (m Mix) Several() bool { return len(m) > 1 }

// AsText returns the mix in the form for voyage.json: a single provider is only its name, since the voyage has the
// number.
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
