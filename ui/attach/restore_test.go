package attach

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
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
				out, restore := passed(all[:n], login)
				if why := settled(out, restore); why != "" {
					t.Fatalf("%s, %d bytes, login %v: %s", name, n, login, why)
				}
			}
		}
	}
}

// passed returns what a terminal gets of a recording, and then the sequences that restore it.
func passed(recording string, login bool) (out, restore string) {
	f := filter{login: login}
	out = f.save() + string(f.allowed([]byte(recording)))
	return out, f.restoreTerminal()
}

// TestEachReset leaves out one reset at a time: TestSane would fail without it.
func TestEachReset(t *testing.T) {
	f := filter{login: true, alt: true, colours: true}
	resets := f.restoreTerminal()
	if rest := aSeq.ReplaceAllString(resets, ""); rest != "" {
		t.Errorf("what is %q?", rest)
	}
	recordings := slices.Collect(maps.Values(endings(t)))
	for _, reset := range aSeq.FindAllString(resets, -1) {
		if !slices.ContainsFunc(recordings, func(r string) bool { return missed(r, reset) }) {
			t.Errorf("nobody misses %q", reset)
		}
	}
}

// missed reports whether a terminal stays changed without this reset.
func missed(recording, reset string) bool {
	for _, login := range []bool{false, true} {
		out, restore := passed(recording, login)
		if settled(out, strings.ReplaceAll(restore, reset, "")) != "" {
			return true
		}
	}
	return false
}

// settled returns the settings of a terminal that stay changed after out and then restore.
func settled(out, restore string) string {
	s := term.New(80, 24, 0)
	_, _ = s.Write([]byte(out))
	before, other := s.Cursor(), s.Modes().AltScreen
	_, _ = s.Write([]byte(restore))
	if cur := s.Cursor(); !other && (cur.X != before.X || cur.Y != before.Y) {
		return "the cursor is elsewhere"
	}
	_, _ = s.Write([]byte("\r\n$ qx"))
	if m := s.Modes(); m != (term.Modes{}) {
		return "modes are on"
	}
	if cur := s.Cursor(); !cur.Visible || cur.Shape != term.DefaultShape || cur.X != 4 {
		return "the cursor is another"
	}
	if row := string(s.AppendRow(nil, s.Cursor().Y, 0, 4)); row != "$ qx" {
		return "the next line is " + row
	}
	return ledgerOf(out + restore).open()
}

// A ship can make the terminal answer only tmux's questions at the start, each once. Nothing from the
// ship passes for the fence.
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

// Output of tmux passes unchanged.
func TestPassesTmux(t *testing.T) {
	all := endings(t)["tmux"]
	f := filter{}
	want := strings.NewReplacer("\x1b[?1049h", "", "\x1b[22;0;0t", "", "\x1b[?7727h", "").Replace(all) // without what save already sent, and a mode of mintty's
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
		if why := settled(saved+want, whole.restoreTerminal()); why != "" {
			t.Fatalf("%q: %s", p, why)
		}
		if asksFence.MatchString(want) {
			t.Fatalf("%q asks the fence: %q", p, want)
		}
	})
}
