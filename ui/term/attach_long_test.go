//go:build long

package term

import (
	"testing"
)

func TestAttachedClientShowsThePane(t *testing.T) {
	m := newTmux(t, testCols, testRows)
	c := m.attach(testCols, testRows)
	for _, group := range []map[string]string{printing, moving, erasing, scrolling, styling, switching, parsing} {
		for name, data := range group {
			if !notShown[name] {
				c.judge(one(name, data))
			}
		}
	}
	for _, tr := range resizing() {
		if !notShown[tr.name] {
			c.judge(tr)
		}
	}
	for seed := range uint64(20) {
		c.judge(generated("common", freshSeed+seed, 150))
	}
}
