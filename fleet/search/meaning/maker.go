package meaning

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	bolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

// Maker makes vectors. It keeps the vectors of searched texts in a file, so that a text is paid for only once for all ships
// and programs on this hub.
type Maker struct {
	client *Client
	file   string
}

// NewMaker returns a Maker that keeps its file in dir, which is made when it is first needed.
func NewMaker(c *Client, dir string) *Maker { return &Maker{c, filepath.Join(dir, "vectors.db")} }

// maxRemembered is the size in bytes at which the file is deleted and begun again.
const maxRemembered = 512 << 20

// opening bounds the wait for another process that has the file open.
const opening = 5 * time.Second

// Vectors returns a vector of each text, and how many tokens the service counted.
func (m *Maker) Vectors(ctx context.Context, texts []string, questions bool) ([]Vector, int, error) {
	if questions {
		return m.client.Vectors(ctx, texts, true)
	}
	all, lacking, err := m.recall(texts)
	if err != nil || len(lacking) == 0 {
		return all, 0, err
	}
	rest := make([]string, len(lacking))
	for i, at := range lacking {
		rest[i] = texts[at]
	}
	made, tokens, err := m.client.Vectors(ctx, rest, false)
	if err != nil {
		return nil, tokens, err
	}
	for i, at := range lacking {
		all[at] = made[i]
	}
	return all, tokens, m.remember(rest, made)
}

// key returns the key of a text in the file.
func key(text string) []byte {
	sum := sha256.Sum256([]byte(text))
	return sum[:]
}

// recall returns the vectors in the file, and the indexes of the texts that lack one.
func (m *Maker) recall(texts []string) (all []Vector, lacking []int, err error) {
	all = make([]Vector, len(texts))
	err = m.with(func(db *bolt.DB) error {
		return db.View(func(tx *bolt.Tx) error {
			b := tx.Bucket([]byte(m.client.Model()))
			for i, text := range texts {
				if b == nil || all[i].UnmarshalBinary(b.Get(key(text))) != nil {
					lacking = append(lacking, i)
				}
			}
			return nil
		})
	})
	return all, lacking, err
}

func (m *Maker) remember(texts []string, all []Vector) error {
	return m.with(func(db *bolt.DB) error {
		return db.Update(func(tx *bolt.Tx) error {
			b, err := tx.CreateBucketIfNotExists([]byte(m.client.Model()))
			for i, text := range texts {
				raw, _ := all[i].MarshalBinary()
				err = errors.Join(err, b.Put(key(text), raw))
			}
			return err
		})
	})
}

// with opens the file for a short time, since helm and the captain's own searches share it. If the file is damaged or too
// large, it begins a new one, as vectors can be made again.
func (m *Maker) with(fn func(*bolt.DB) error) error {
	if err := os.MkdirAll(filepath.Dir(m.file), 0o700); err != nil {
		return err
	}
	db, err := bolt.Open(m.file, 0o600, &bolt.Options{Timeout: opening})
	if errors.Is(err, bolterrors.ErrTimeout) {
		return err
	}
	if info, e := os.Stat(m.file); err != nil || e == nil && info.Size() > maxRemembered {
		if db != nil {
			_ = db.Close()
		}
		if err := os.Remove(m.file); err != nil {
			return err
		}
		if db, err = bolt.Open(m.file, 0o600, &bolt.Options{Timeout: opening}); err != nil {
			return err
		}
	}
	return errors.Join(m.use(db, fn), db.Close())
}

// use calls fn. If the database panics at a damaged page, the next call begins a new file.
func (m *Maker) use(db *bolt.DB, fn func(*bolt.DB) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = errors.Join(fmt.Errorf("%s is damaged: %v", m.file, p), os.Remove(m.file))
		}
	}()
	return fn(db)
}
