package theme

import (
	"image/color"
	"math"
	"testing"
)

// luminance returns the relative luminance of a colour, as WCAG 2.2 defines it.
func luminance(c color.Color) float64 {
	r, g, b, _ := c.RGBA()
	part := func(v uint32) float64 {
		x := float64(v) / 0xffff
		if x <= 0.04045 {
			return x / 12.92
		}
		return math.Pow((x+0.055)/1.055, 2.4)
	}
	return 0.2126*part(r) + 0.7152*part(g) + 0.0722*part(b)
}

func contrast(a, b color.Color) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// Text of every role is readable on the theme's own background and on a selected row.
func TestContrast(t *testing.T) {
	for _, n := range []Name{Dark, Light} {
		p := palettes[n]
		texts := map[string]color.Color{
			"text": p.text, "dim": p.dim, "accent": p.accent, "working": p.working, "needs": p.needs, "good": p.good, "bad": p.bad,
		}
		for i, c := range p.ships {
			texts["ship "+string(rune('0'+i))] = c
		}
		for name, c := range texts {
			if got := contrast(c, p.ground); got < 4.5 {
				t.Errorf("%s: %s has a contrast of %.1f on the background", n, name, got)
			}
			if got := contrast(c, p.selected); got < 3 {
				t.Errorf("%s: %s has a contrast of %.1f on a selected row", n, name, got)
			}
		}
		if got := contrast(p.onHit, p.hit); got < 4.5 {
			t.Errorf("%s: what was found has a contrast of %.1f", n, got)
		}
	}
}

// Every theme sets every role, and Next returns to the first theme.
func TestThemesGoRound(t *testing.T) {
	defer Activate(Terminal)
	n := Dark
	for range Names() {
		Activate(n)
		if Yes.Style.Render("x") != Good.Render("x") {
			t.Errorf("%s: the marks have another look", n)
		}
		if !n.IsValid() {
			t.Errorf("%s is not valid", n)
		}
		n = n.Next()
	}
	if n != Dark {
		t.Errorf("it ends at %s", n)
	}
	if Activate(Mono); ShipStyle("ship-1").Render("x") != "x" {
		t.Error("mono has colours")
	}
}
