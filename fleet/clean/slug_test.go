package clean

import "testing"

func TestSlug(t *testing.T) {
	for text, want := range map[string]string{
		"  Add login,\nwith sessions": "add-login",
		"Add: LOGIN (v2)!":            "add-login-v2",
		"../.git/x":                   "git-x",
		"a bcd efgh ijklm":            "a-bcd-efgh",
		"abcdefghijklmnop":            "abcdefghijkl",
		"日本":                          "",
		"":                            "",
	} {
		if is := Slug(text, 12); is != want {
			t.Errorf("%q: %q", text, is)
		}
	}
}
