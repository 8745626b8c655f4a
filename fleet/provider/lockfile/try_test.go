package lockfile

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
)

func TestTry(t *testing.T) {
	file := filepath.Join(t.TempDir(), "locks", "ship")
	leave, err := LockShared(context.Background(), file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := TryLock(file); !errors.Is(err, ErrHeld) {
		t.Errorf("shared, and got %v", err)
	}
	leave()
	unlock, err := TryLock(file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := TryLock(file); !errors.Is(err, ErrHeld) {
		t.Errorf("held, and got %v", err)
	}
	unlock(true)
	if unlock, err = TryLock(file); err != nil {
		t.Fatal(err)
	}
	unlock(true)
}
