package tokens_test

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/tokens"
)

func store(t *testing.T) (tokens.Store, string) {
	t.Helper()
	state := filepath.Join(t.TempDir(), "state")
	if err := os.Mkdir(state, 0o700); err != nil {
		t.Fatal(err)
	}
	return tokens.StoreOf(fleet.Hub{State: state}), state
}

func TestKeep(t *testing.T) {
	s, _ := store(t)
	if got, err := s.ReadToken("tailscale"); err != nil || got != (tokens.Token{}) {
		t.Errorf("before: %v, %v", got, err)
	}
	for _, want := range []tokens.Token{{Secret: "first"}, {Secret: "second", URL: "http://127.0.0.1"}} {
		if err := s.KeepToken("tailscale", want); err != nil {
			t.Fatal(err)
		}
		if got, err := s.ReadToken("tailscale"); err != nil || got != want {
			t.Errorf("got %v, %v", got, err)
		}
	}
	if info, err := os.Stat(s.File("tailscale")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if info, err := os.Stat(s.Dir()); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info, err)
	}
	if got, err := s.ReadToken("sprites"); err != nil || got.Secret != "" {
		t.Errorf("another service: %v, %v", got, err)
	}
}

// The error about a damaged file names the file, and shows nothing of its content.
func TestDamaged(t *testing.T) {
	s, _ := store(t)
	if err := s.KeepToken("exedev", tokens.Token{Secret: "hush"}); err != nil {
		t.Fatal(err)
	}
	for _, content := range []string{`{"token":"hush`, "hush", strings.Repeat("hush", 1<<16)} {
		if err := os.WriteFile(s.File("exedev"), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := s.ReadToken("exedev"); err == nil || !strings.Contains(err.Error(), s.File("exedev")) || strings.Contains(err.Error(), "hush") {
			t.Errorf("got %v", err)
		}
	}
}

func TestNeverPrinted(t *testing.T) {
	var log strings.Builder
	token := tokens.Token{Secret: "hush"}
	slog.New(slog.NewJSONHandler(&log, nil)).Info("it", "token", token)
	if text := log.String() + fmt.Sprintf("%v %+v %#v %s", token, token, token, token); strings.Contains(text, "hush") {
		t.Error(text)
	}
}
