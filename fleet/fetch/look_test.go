package fetch

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Look accepts the registry's answer only if its digest has the form of one.
func TestLook(t *testing.T) {
	sum := sumOf([]byte("x"))
	answers := map[string]string{
		"/@acme/tool/latest": `{"version":"2.0.1","dist":{"integrity":"` + sum + `"}}`,
		"/@acme/tool/1.0.0":  `{"version":"1.0.0","dist":{"shasum":"0123"}}`,
		"/@acme/tool/1.0.1":  `<html>`,
		"/@acme/tool/1.0.3":  `{"version":"1.0.2","dist":{"integrity":"` + sum + `"}}`,
		"/@acme/tool/1.0.2":  `{"version":"` + strings.Repeat("1", 5<<20) + `"}`,
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if text, ok := answers[r.URL.Path]; ok {
			_, _ = w.Write([]byte(text))
			return
		}
		http.NotFound(w, r)
	}))
	t.Cleanup(s.Close)
	t.Setenv("npm_config_registry", s.URL)
	a, err := Look(t.Context(), "@acme/tool", "latest")
	if err != nil || a.Version != "2.0.1" || a.Sum != sum {
		t.Errorf("got %+v, %v", a, err)
	}
	if _, err := Look(t.Context(), "@acme/tool", "9.9.9"); !errors.Is(err, ErrAbsent) {
		t.Errorf("one that is not there: %v", err)
	}
	for version, want := range map[string]string{"1.0.0": "neither sha512", "1.0.1": "no description", "1.0.2": "too long", "1.0.3": `tells of version "1.0.2"`, "../x": "cannot be a package"} {
		if _, err := Look(t.Context(), "@acme/tool", version); err == nil || !strings.Contains(err.Error(), want) || errors.Is(err, ErrAbsent) {
			t.Errorf("%s: %v", version, err)
		}
	}
}
