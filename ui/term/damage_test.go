package term

import (
	"math/rand/v2"
	"strings"
	"testing"

	"ocaptain/ui/term/columns"
)

// Damaged output, cut anywhere, with resizes in between, leaves a screen within bounds and sound
// rows.
func TestDamagedSequencesAreBounded(t *testing.T) {
	const bytes = 10e6
	r := rand.New(rand.NewPCG(1, 1))
	for total := 0; total < bytes; {
		s := New(1+r.IntN(200), 1+r.IntN(60), r.IntN(50))
		g := generator{r, testCols, testRows, r.IntN(2) == 0}
		data := []byte(g.write(500, g.full))
		for range 40 {
			for range r.IntN(40) {
				data[r.IntN(len(data))] = byte(r.IntN(256))
			}
			a, b := r.IntN(len(data)), r.IntN(len(data))
			apply(s, data[min(a, b):max(a, b)])
			total += max(a, b) - min(a, b)
			s.Resize(r.IntN(220), r.IntN(70))
		}
		if err := bounded(s); err != nil {
			t.Fatal(err)
		}
		for y := -s.History(); y < s.rows; y++ {
			if err := sound(s, y, 0, s.cols); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// difficult are characters that join with others, or have different widths on different terminals.
var difficult = [][2]rune{
	{' ', '~'},
	{0xa0, 0xff},
	{0x300, 0x36f},
	{0x600, 0x605},
	{0x6dd, 0x6dd},
	{0x70f, 0x70f},
	{0x900, 0x97f},
	{0xbbe, 0xbcd},
	{0xd4e, 0xd4e},
	{0xe30, 0xe3a},
	{0xeb0, 0xebd},
	{0x1100, 0x11ff},
	{0x17b4, 0x17d3},
	{0x200b, 0x200f},
	{0x2028, 0x202e},
	{0x203c, 0x2049},
	{0x2066, 0x206f},
	{0x20d0, 0x20f0},
	{0x2122, 0x21aa},
	{0x231a, 0x23fa},
	{0x25aa, 0x25fe},
	{0x2600, 0x27bf},
	{0x2e80, 0x303f},
	{0x3099, 0x309a},
	{0xa960, 0xa97c},
	{0xac00, 0xac20},
	{0xd7b0, 0xd7fb},
	{0xe000, 0xe0ff},
	{0xfe00, 0xfe0f},
	{0xfeff, 0xfeff},
	{0xff9e, 0xff9f},
	{0x110bd, 0x110cd},
	{0x11a3a, 0x11a3a},
	{0x1d165, 0x1d1ad},
	{0x1f1e6, 0x1f1ff},
	{0x1f3fb, 0x1f3ff},
	{0x1f400, 0x1f6ff},
	{0x1f900, 0x1faff},
	{0xe0020, 0xe01ef},
}

func TestRowsOfDifficultCharactersAreSound(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for range 3000 {
		var b strings.Builder
		for range 60 {
			class := difficult[r.IntN(len(difficult))]
			b.WriteRune(class[0] + r.Int32N(class[1]-class[0]+1))
			switch r.IntN(8) {
			case 0:
				b.WriteRune(columns.Joiner)
			case 1:
				b.WriteString("\x1b[31m")
			case 2:
				b.WriteString("\x1b[D")
			}
		}
		s := New(30, 3, 0)
		write(s, b.String())
		for y := range 3 {
			if err := sound(s, y, r.IntN(3), 28+r.IntN(3)); err != nil {
				t.Fatalf("%v\nfrom %q", err, b.String())
			}
		}
	}
}
