package attach

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ocaptain/ui/term"
)

// endings returns recordings of programs and of attacks.
func endings(t testing.TB) map[string]string {
	t.Helper()
	all := map[string]string{}
	names, err := filepath.Glob("testdata/endings/*")
	if err != nil || len(names) == 0 {
		t.Fatal("no recordings", err)
	}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all[filepath.Base(name)] = string(b)
	}
	return all
}

// Wherever a ship's output breaks off, the captain's terminal is as it was.
func TestSane(t *testing.T) {
	for name, all := range endings(t) {
		step := max(1, len(all)/300)
		for n := 0; n <= len(all); n += step {
			for _, login := range []bool{false, true} {
				f := filter{login: login}
				out := f.save() + string(f.allowed([]byte(all[:n])))
				if why := settled(out + f.restoreTerminal()); why != "" {
					t.Fatalf("%s, %d bytes, login %v: %s", name, n, login, why)
				}
			}
		}
	}
}

// settled tells what is not as it was in a terminal that got out.
func settled(out string) string {
	s := term.New(80, 24, 0)
	_, _ = s.Write([]byte(out + "\r\n$ qx"))
	if m := s.Modes(); m != (term.Modes{}) {
		return "modes are on"
	}
	if cur := s.Cursor(); !cur.Visible || cur.Shape != term.DefaultShape || cur.X != 4 {
		return "the cursor is another"
	}
	if row := string(s.AppendRow(nil, s.Cursor().Y, 0, 4)); row != "$ qx" {
		return "the next line is " + row
	}
	return ledgerOf(out).open()
}

// ledger is what a terminal with all features remembers.
type ledger struct {
	modes   map[string]bool
	levels  [2]int // on the main and on the other screen
	titles  int
	link    bool
	colours bool
	keys    bool
	other   string
}

var (
	modeSeq  = regexp.MustCompile(`^\x1b\[(\??)([\d;]+)([hl])$`)
	aSeq     = regexp.MustCompile(`\x1b\[[<=>?]?[\d;:]*[ -/]*[@-~]|\x1b[\]P_^X][^\x1b\a]*(?:\x1b\\|\a)|\x1b[ -/]*[0-~]`)
	windows  = regexp.MustCompile(`^\x1b\[.*[ti]$`) // or print
	levelSeq = regexp.MustCompile(`^\x1b\[([<>])(\d+)u$`)
)

// normal are the modes that a terminal has by itself.
var normal = map[string]bool{"?7": true, "?25": true}

func ledgerOf(out string) *ledger {
	l := &ledger{modes: map[string]bool{}}
	for _, seq := range aSeq.FindAllString(out, -1) {
		l.take(seq)
	}
	return l
}

func (l *ledger) take(seq string) {
	screen := 0
	if l.modes["?1049"] || l.modes["?47"] || l.modes["?1047"] {
		screen = 1
	}
	if m := modeSeq.FindStringSubmatch(seq); m != nil {
		for mode := range strings.SplitSeq(m[2], ";") {
			l.modes[m[1]+mode] = m[3] == "h"
			if m[1] == "?" && (mode == "47" || mode == "1047" || mode == "1049") {
				l.modes["?47"], l.modes["?1047"], l.modes["?1049"] = m[3] == "h", m[3] == "h", m[3] == "h"
			}
		}
		return
	}
	if m := levelSeq.FindStringSubmatch(seq); m != nil {
		if l.levels[screen]++; m[1] == "<" {
			l.levels[screen] = 0
		}
		return
	}
	switch {
	case strings.HasPrefix(seq, "\x1b]8;"):
		l.link = seq != "\x1b]8;;\x1b\\"
	case strings.HasPrefix(seq, "\x1b]104\x1b"):
		l.colours = false
	case strings.HasPrefix(seq, "\x1b]4;") || strings.HasPrefix(seq, "\x1b]10;") || strings.HasPrefix(seq, "\x1b]11;"):
		l.colours = l.colours || !strings.Contains(seq, "?")
	case seq == "\x1b[22;0;0t":
		l.titles++
	case seq == title:
		l.titles--
	case strings.HasPrefix(seq, "\x1b[>4"):
		l.keys = seq != "\x1b[>4m"
	case seq == "\x1b[3g", seq == "\x1bH", windows.MatchString(seq), seq == "\x1b%@":
		l.other = seq
	}
}

// open tells what is left.
func (l *ledger) open() string {
	for mode, on := range l.modes {
		if on != normal[mode] && mode != "?12" && mode != "34" && mode != "?1048" { // these ask for nothing
			return "mode " + mode
		}
	}
	switch {
	case l.levels != [2]int{}:
		return "key levels"
	case l.titles != 0:
		return "titles"
	case l.link, l.colours, l.keys:
		return "a link, a colour or modified keys"
	case l.other != "":
		return "what can't be taken back: " + l.other[1:]
	}
	return ""
}

// A ship can make the terminal answer only what tmux asks at first, and that once. Nothing it does may
// pass for the fence.
func TestAnswersNothing(t *testing.T) {
	all := endings(t)
	for name, ending := range all {
		for _, size := range []int{1, 7, len(ending)} {
			f := filter{}
			var out string
			for rest := strings.Repeat(ending, 3); rest != ""; {
				n := min(size, len(rest))
				out += string(f.allowed([]byte(rest[:n])))
				rest = rest[n:]
			}
			asked := map[string]int{}
			for _, q := range questions.FindAllString(out, -1) {
				if asked[q]++; asked[q] > 1 || !tmuxAsks[q] {
					t.Errorf("%s, in pieces of %d: the terminal is asked %q", name, size, q)
				}
			}
			login := filter{login: true}
			if asksFence.MatchString(string(login.allowed([]byte(ending)))) {
				t.Errorf("%s: a login shell asks the fence", name)
			}
		}
	}
}

var (
	questions = regexp.MustCompile(`\x05|\x1bZ|\x1b\[[<=>?]?[\d;:]*[ -/]*[cnxty]|\x1b\[>[\d;]*q|\x1b\[\?u|\x1b\[[^a-zA-Z]*\$[pq]|\x1b\[\?[\d;]*[mS]|\x1b\[\?2048h|\x1b\][^\x1b\a]*\?|\x1b[P_]|\x{9b}|\x{9d}|\x{90}`)
	asksFence = regexp.MustCompile(`\x1b\[\??[\d;:]*5[\d;:]*n`)
	tmuxAsks  = map[string]bool{"\x1b[c": true, "\x1b[0c": true, "\x1b[>c": true, "\x1b[>q": true, "\x1b[>0q": true, "\x1b]10;?": true, "\x1b]11;?": true}
)

// What tmux shows passes unchanged.
func TestPassesTmux(t *testing.T) {
	all := endings(t)["tmux"]
	f := filter{}
	want := strings.NewReplacer("\x1b[?1049h", "", "\x1b[22;0;0t", "", "\x1b[?7727h", "").Replace(all) // what is kept already, and a mode of mintty's own
	if got := string(f.allowed([]byte(all))); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func FuzzFilter(f *testing.F) {
	for _, ending := range endings(f) {
		f.Add([]byte(ending), 3, false)
		f.Add([]byte(ending), 1, true)
	}
	f.Fuzz(func(t *testing.T, p []byte, size int, login bool) {
		whole, parts := filter{login: login}, filter{login: login}
		saved := whole.save() + parts.save()[:0]
		want := string(whole.allowed(p))
		var got string
		for i := 0; i < len(p); {
			n := max(1, min(size, len(p)-i))
			got += string(parts.allowed(p[i : i+n]))
			i += n
		}
		if got != want {
			t.Fatalf("in pieces of %d: %q, at once %q", size, got, want)
		}
		if why := settled(saved + want + whole.restoreTerminal()); why != "" {
			t.Fatalf("%q: %s", p, why)
		}
		if asksFence.MatchString(want) {
			t.Fatalf("%q asks the fence: %q", p, want)
		}
	})
}
