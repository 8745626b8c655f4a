package hosts

import "testing"

func TestParse(t *testing.T) {
	for text, want := range map[string]Entry{
		"build1":           {Host: "build1"},
		"ada@build1":       {User: "ada", Host: "build1"},
		"ada@build1:2222":  {User: "ada", Host: "build1", Port: 2222},
		"build1*4":         {Host: "build1", Most: 4},
		"a.b@10.0.0.5:1*2": {User: "a.b", Host: "10.0.0.5", Port: 1, Most: 2},
		"[::1]:22":         {Host: "::1", Port: 22},
		"[fe80::1]":        {Host: "fe80::1"},
		"fe80::1":          {Host: "fe80::1"},
	} {
		got, err := Parse(text)
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
		want.Most = 0
		if again, err := Parse(got.String()); err != nil || again != want {
			t.Errorf("%s is written %s: %+v, %v", text, got, again, err)
		}
	}
	for _, text := range []string{
		"", "@", "ada@", "@build1", "-oProxyCommand=x", "ada@-x", "-l@x", "a b", "build1:", "build1:0", "build1:65536", "build1:x", "build1*", "build1*0",
		"build1*x", "a@b@c", "x;y", "[x", "::x", "a/b", "a\nb", "$(x)", "build1 *4",
	} {
		if e, err := Parse(text); err == nil {
			t.Errorf("%q was taken for %+v", text, e)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("ada@build1:22*4")
	f.Fuzz(func(t *testing.T, text string) {
		e, err := Parse(text)
		if err != nil {
			return
		}
		again, err := Parse(e.String())
		e.Most = 0
		if err != nil || again != e {
			t.Errorf("%q is written %q: %+v, %v", text, e, again, err)
		}
	})
}
