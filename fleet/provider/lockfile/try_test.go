package lockfile

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
)

func TestTry(t *testing.T) {
	file := filepath.Join(t.TempDir(), "locks", "ship")
	leave, err := Share(context.Background(), file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Try(file); !errors.Is(err, ErrHeld) {
		t.Errorf("shared, and got %v", err)
	}
	leave()
	unlock, err := Try(file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Try(file); !errors.Is(err, ErrHeld) {
		t.Errorf("held, and got %v", err)
	}
	unlock(true)
	if unlock, err = Try(file); err != nil {
		t.Fatal(err)
	}
	unlock(true)
}
