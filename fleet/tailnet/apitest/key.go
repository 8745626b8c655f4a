package apitest

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// key is an auth key.
type key struct {
	id, text, description                   string
	tags                                    []string
	reusable, ephemeral, preauthorized, old bool // old: used up or revoked
	created, expires                        time.Time
}

// KeyInfo is the description of a key in the admin console.
type KeyInfo struct {
	ID, Description string
	Tags            []string
	Reusable        bool
	Ephemeral       bool
	Preauthorized   bool
	Life            time.Duration
}

func (f *Fake) mint(w http.ResponseWriter, r *http.Request) {
	var ask struct {
		Capabilities struct {
			Devices struct {
				Create struct {
					Reusable, Ephemeral, Preauthorized bool
					Tags                               []string
				}
			}
		}
		ExpirySeconds int64
		Description   string
	}
	if err := json.NewDecoder(r.Body).Decode(&ask); err != nil {
		fail(w, http.StatusBadRequest, "invalid JSON")
		return
	}
	c := ask.Capabilities.Devices.Create
	f.mu.Lock()
	defer f.mu.Unlock()
	// A client with several tags may be refused some of them, so it must request all of them together.
	want, has := slices.Sorted(slices.Values(c.Tags)), slices.Sorted(slices.Values(f.options.Tags))
	switch {
	case len(c.Tags) == 0:
		fail(w, http.StatusBadRequest, "tags must be set for keys made by OAuth clients")
		return
	case !slices.Equal(want, has):
		fail(w, http.StatusBadRequest, fmt.Sprintf("requested tags %v are invalid or not permitted", c.Tags))
		return
	case len(ask.Description) > 50 || strings.Trim(ask.Description, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789- ") != "":
		fail(w, http.StatusBadRequest, "invalid description")
		return
	case ask.ExpirySeconds < 0 || ask.ExpirySeconds > 90*24*3600:
		fail(w, http.StatusBadRequest, "invalid expirySeconds")
		return
	}
	if ask.ExpirySeconds == 0 {
		ask.ExpirySeconds = 90 * 24 * 3600
	}
	f.numbers++
	k := &key{
		id: id('k', f.numbers), description: ask.Description, tags: c.Tags,
		reusable: c.Reusable, ephemeral: c.Ephemeral, preauthorized: c.Preauthorized, created: time.Now().UTC().Truncate(time.Second),
	}
	k.text, k.expires = "tskey-auth-"+k.id+"-"+rand.Text(), k.created.Add(time.Duration(ask.ExpirySeconds)*time.Second)
	f.keys[k.id] = k
	f.texts = append(f.texts, k.text)
	for _, tell := range f.told {
		tell(k.text)
	}
	shown := k.shown()
	shown["key"] = k.text
	answer(w, shown)
}

func (k *key) shown() map[string]any {
	return map[string]any{
		"id": k.id, "keyType": "auth", "description": k.description, "created": k.created, "expires": k.expires,
		"expirySeconds": int(k.expires.Sub(k.created) / time.Second), "invalid": k.old,
		"capabilities": map[string]any{"devices": map[string]any{"create": map[string]any{
			"reusable": k.reusable, "ephemeral": k.ephemeral, "preauthorized": k.preauthorized, "tags": k.tags,
		}}},
	}
}

func (f *Fake) getKey(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	k := f.keys[r.PathValue("id")]
	if k == nil {
		fail(w, http.StatusNotFound, "key not found")
		return
	}
	answer(w, k.shown())
}

func (f *Fake) deleteKey(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.keys[r.PathValue("id")] == nil {
		fail(w, http.StatusNotFound, "key not found")
		return
	}
	delete(f.keys, r.PathValue("id"))
}

// Keys lists the keys that are still valid.
func (f *Fake) Keys() []KeyInfo {
	f.mu.Lock()
	defer f.mu.Unlock()
	var list []KeyInfo
	for _, k := range f.keys {
		if !k.old && time.Now().Before(k.expires) {
			list = append(list, KeyInfo{k.id, k.description, k.tags, k.reusable, k.ephemeral, k.preauthorized, k.expires.Sub(k.created)})
		}
	}
	return list
}

// Tell calls each with the text of every key: at once with existing ones, and with new keys before their client gets
// them.
func (f *Fake) Tell(each func(key string)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, text := range f.texts {
		each(text)
	}
	f.told = append(f.told, each)
}

// Redeem uses a key, and returns the tags for the machine.
func (f *Fake) Redeem(text string) (tags []string, ephemeral bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, k := range f.keys {
		if k.text != text {
			continue
		}
		if k.old || time.Now().After(k.expires) {
			break
		}
		k.old = !k.reusable
		return k.tags, k.ephemeral, nil
	}
	return nil, false, errors.New("invalid key: API key not valid")
}
