package term

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// Seeds below this seed were examined while the emulator was written.
const freshSeed = 1_000_000

func TestGeneratedSequencesAreAsInTmux(t *testing.T) {
	m := newTmux(t, testCols, testRows)
	var trials []trial
	for i := range uint64(generations) {
		trials = append(trials, generated("common", freshSeed+i, 150), generated("full", freshSeed+i, 40), generated("full", freshSeed+1000+i, 300))
	}
	complain(t, m.judge(trials), len(trials)/100)
}

// generated returns the trial of a seed. The kind full has resizes.
func generated(kind string, seed uint64, length int) trial {
	g := generator{rand.New(rand.NewPCG(seed, 7)), testCols, testRows, kind == "shown"}
	tr := trial{name: fmt.Sprintf("%s %d of %d", kind, seed, length)}
	if kind == "common" {
		tr.chunks = []chunk{{data: []byte(g.write(length, g.common))}}
		return tr
	}
	for i := range 1 + g.IntN(3) {
		var c chunk
		if i > 0 {
			g.cols, g.rows = 2+g.IntN(120), 2+g.IntN(40)
			c.cols, c.rows = g.cols, g.rows
		}
		c.data = []byte(g.write(length/3, g.full))
		tr.chunks = append(tr.chunks, c)
	}
	return tr
}

// generator produces output like that of programs.
type generator struct {
	*rand.Rand
	cols, rows int
	shown      bool // without what tmux's clients show differently from the pane
}

func (g *generator) write(n int, piece func() string) string {
	var b strings.Builder
	for range n {
		b.WriteString(piece())
	}
	return b.String()
}

func pick[T any](g *generator, from ...T) T { return from[g.IntN(len(from))] }

// common returns what most programs write, with reasonable parameters.
func (g *generator) common() string {
	switch k := g.IntN(100); {
	case k < 38:
		return pick(g, "a", "word ", "hello, world", "0123456789", "abcdefghijklmnopqrstuvwxyz", "é", "──", "█", "→", "    ")
	case k < 46:
		return pick(g, "\r", "\n", "\r\n", "\r\n", "\t", "\b")
	case k < 58:
		return "\x1b[" + g.style() + "m"
	case k < 70:
		return fmt.Sprintf("\x1b[%d;%dH", 1+g.IntN(g.rows), 1+g.IntN(g.cols))
	case k < 82:
		return fmt.Sprintf("\x1b[%d%c", 1+g.IntN(6), pick(g, 'A', 'B', 'C', 'D', 'G', 'L', 'M', 'P', 'X', '@', 'd', 'S', 'T', 'E', 'F'))
	case k < 90:
		return fmt.Sprintf("\x1b[%d%c", g.IntN(3), pick(g, 'J', 'K', 'K', 'K'))
	case k < 94:
		top := 1 + g.IntN(g.rows-1)
		return fmt.Sprintf("\x1b[%d;%dr", top, top+1+g.IntN(g.rows-top))
	default:
		return pick(g, "\x1bD", "\x1bM", "\x1bE", "\x1b7", "\x1b8", "\x1b[r", "\x1b[m", "\x1b[H")
	}
}

// full returns any output, reasonable or not.
func (g *generator) full() string {
	switch k := g.IntN(100); {
	case k < 30:
		return g.common()
	case k < 48 && g.shown:
		return strings.Repeat(pick(g, "日本", "中", "é", "e\u0301", "o\u0308\u0323", "😀", "🇩🇪", "한국어", "ไทย", "▄", "─", "\ue0b0", "x"), 1+g.IntN(30))
	case k < 48:
		return g.text()
	case k < 62:
		return g.sequence()
	case k < 72:
		return "\x1b[" + pick(g, "?", "?", "?", "") + g.modes() + pick(g, "h", "l")
	case k < 82 && g.shown:
		return pick(g, "\x1b(0lqqk\x1b(B", "\x1bH", "\x1b[3g", "\x1b[s", "\x1b[u", "\x1b=", "\x0b", "\a", "\t\t", "\b\b", "\x1b#8", "\x1bc", "\x1b[3J")
	case k < 82:
		return pick(g, "\x1b(0", "\x1b(B", "\x1b)0", "\x1b)B", "\x0e", "\x0f", "\x1bH", "\x1b[g", "\x1b[3g",
			"\x1b[s", "\x1b[u", "\x1b=", "\x1b>", "\x0b", "\x0c", "\a", "\t\t", "\b\b\b", "\x1b#8", "\x1bc", "\x1b[3J", "\x1b\\")
	case k < 88:
		return pick(g, "\x1b]0;title\x07", "\x1b]2;other\x1b\\", "\x1b]8;;http://x\x1b\\", "\x1b]52;c;aGk=\x07", "\x1b]11;?\x07",
			"\x1bP1$qm\x1b\\", "\x1bPq\x1b[31m\x1b\\", "\x1bkname\x1b\\", "\x1b^x\x1b\\", "\x1b[22;0t", "\x1b[23;0t", "\x1b[c", "\x1b[>c", "\x1b[5n",
			"\x1b[>1u", "\x1b[>4;1m", "\x1b[>q", "\x1b[?2026$p", "\x1b[!p")
	case k < 92:
		return fmt.Sprintf("\x1b[%d q", g.IntN(8))
	default:
		return g.damage()
	}
}

func (g *generator) text() string {
	one := func() string {
		return pick(g, "日本", "中", "テスト", "é", "e\u0301", "o\u0308\u0323", "😀", "👍🏽", "❤️", "👨‍👩‍👧", "🇩🇪", "한국어", "\u1112\u1161\u11ab",
			"नमस्ते", "ไทย", "\u200b", "\u0301", "\ue0b0", "─", "▄", " ", "x", "lqkx", "word")
	}
	switch g.IntN(6) {
	case 0:
		return strings.Repeat(one(), 1+g.IntN(60))
	case 1:
		return strings.Repeat("m", 1+g.IntN(200))
	}
	return one() + one()
}

// sequence returns a sequence with any parameters.
func (g *generator) sequence() string {
	var params []string
	for range g.IntN(4) {
		params = append(params, pick(g, "", "0", "1", "2", "3", "7", "24", "80", "99", "1000", "65536", "2147483647",
			"2147483648", "1:2", fmt.Sprint(g.IntN(30)), fmt.Sprint(g.IntN(90))))
	}
	return "\x1b[" + strings.Join(params, ";") + string("@ABCDEFGHIJKLMPSTXZ`abdefgrsum"[g.IntN(30)])
}

func (g *generator) modes() string {
	if g.shown {
		return pick(g, "1", "3", "6", "7", "25", "1049", "1049", "47", "1000", "1002", "1006", "2004")
	}
	list := pick(g, "1", "3", "4", "6", "7", "12", "25", "47", "1047", "1049", "1000", "1001", "1002", "1003", "1004", "1006", "2004", "2026", "4;7")
	if g.IntN(4) == 0 {
		list += ";" + pick(g, "1", "6", "7", "25", "1049", "")
	}
	return list
}

func (g *generator) damage() string {
	switch g.IntN(4) {
	case 0:
		return pick(g, "\xff", "\x80", "\xc3", "\xe2\x82", "\xf0\x9f\x98", "\xc0\xaf", "\xed\xa0\x80", "\x9b", "\xc2\x85") +
			pick(g, "", "a", "\xa9", "\xac", "é", "中", "\r", "\x1b[m")
	case 1:
		return pick(g, "\x1b", "\x1b[", "\x1b[3", "\x1b[3;", "\x1b[?", "\x1b]2;x", "\x1b]", "\x1b(", "\x1b#", "\x1b[ ") + pick(g, "\x18", "\x1a", "\x1b\\", "a", "m")
	case 2:
		return "\x1b[" + pick(g, "38;5", "38;2;1", "48;5;300", "4:3", "4:", "58:2::1:2:3", "38:2:1:2:3", ";;;", "1;;", "38;5;", "58;5;9") + "m"
	}
	s := g.sequence()
	i := g.IntN(len(s))
	return s[:i] + pick(g, "\n", "\r", "\x7f", "\x1b", "é", "\x00", "?", " ", "$") + s[i:]
}

func (g *generator) style() string {
	byteValue := func() int { return g.IntN(256) }
	switch g.IntN(10) {
	case 0, 1:
		return "0"
	case 2:
		return pick(g, "1", "2", "3", "4", "5", "7", "8", "9", "21", "53")
	case 3:
		return pick(g, "22", "23", "24", "25", "27", "28", "29", "39", "49", "55", "59")
	case 4:
		return fmt.Sprint(pick(g, 30, 90) + g.IntN(8))
	case 5:
		return fmt.Sprint(pick(g, 40, 100) + g.IntN(8))
	case 6:
		return fmt.Sprintf("%d;5;%d", pick(g, 38, 48, 58), byteValue())
	case 7:
		return fmt.Sprintf("%d;2;%d;%d;%d", pick(g, 38, 48, 58), byteValue(), byteValue(), byteValue())
	case 8:
		return fmt.Sprintf("4:%d", g.IntN(6))
	}
	return fmt.Sprintf("%s;%d;%d", pick(g, "0", "1", "4"), 30+g.IntN(8), 40+g.IntN(8))
}
