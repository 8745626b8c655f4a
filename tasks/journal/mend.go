package journal

import (
	"fmt"
	"os"
	"time"
)

// maxKept bounds the bytes of unsynced records that are kept in memory to be written again. A caller that adds more
// without Sync does not need them to be durable.
const maxKept = 4 << 20

// mendPause is the time between attempts to recover after the disk refused.
const mendPause = time.Second

// kept holds the records that this process wrote since the last sync. Once the disk has refused a write, the file's
// content cannot be trusted: the kernel reports the error once and drops the data that it could not write.
type kept struct {
	pieces []piece
	size   int
	lost   bool // records were dropped because there were more than maxKept bytes
}

type piece struct {
	at   int64 // offset in the file
	line []byte
}

func (k *kept) add(at int64, line []byte) {
	if k.lost {
		return
	}
	if k.size += len(line); k.size > maxKept {
		*k = kept{lost: true}
		return
	}
	k.pieces = append(k.pieces, piece{at, line})
}

// forgetBefore drops the records that are on the disk.
func (k *kept) forgetBefore(end int64) {
	n := 0
	for n < len(k.pieces) && k.pieces[n].at < end {
		k.size -= len(k.pieces[n].line)
		n++
	}
	k.pieces = k.pieces[n:]
}

// advice returns what the captain can do besides fixing the disk or making room.
func (k *kept) advice() string {
	if k.lost {
		return "; check the disk and start again"
	}
	return "" // the journal recovers by itself
}

// mended returns nil when the disk has refused nothing, or once all records are on the disk. The caller holds j.mu,
// which mended releases while it writes.
func (j *Journal) mended() error {
	for j.failed != nil && j.syncing {
		j.synced.Wait()
	}
	if j.failed == nil || j.kept.lost || time.Since(j.tried) < mendPause {
		return j.failed
	}
	j.syncing = true
	end, old, pieces, flush := j.end, j.file, j.kept.pieces, j.flush
	j.mu.Unlock()
	file, err := j.rewrite(old, pieces, end, flush)
	j.mu.Lock()
	if err == nil {
		j.file = file
		j.leave()
		old.Close()
	}
	j.settle(end, err)
	return j.failed
}

// rewrite cuts the journal off after the last synced record, writes our records again, syncs, and returns the
// reopened file. Overwriting the old blocks is not enough: after a failed write, a file system may silently read them
// as empty. If another process has records between ours, rewrite does nothing, since a crash of the machine would
// lose those.
func (j *Journal) rewrite(old *os.File, pieces []piece, end int64, flush func(*os.File) error) (*os.File, error) {
	was, err := old.Stat()
	if err != nil {
		return nil, err
	}
	file, err := os.OpenFile(j.path, os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return nil, err
	}
	if err := rewriteIn(file, was, pieces, end); err != nil {
		file.Close()
		return nil, err
	}
	if err := flush(file); err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

func rewriteIn(file *os.File, was os.FileInfo, pieces []piece, end int64) error {
	if err := lockFile(file); err != nil {
		return err
	}
	defer unlock(file)
	is, err := file.Stat()
	if err != nil {
		return err
	}
	at := end
	if len(pieces) > 0 {
		at = pieces[0].at
	}
	switch {
	case !os.SameFile(was, is):
		return fmt.Errorf("%s is another file now", file.Name())
	case is.Size() < at:
		return fmt.Errorf("%s: %w", file.Name(), ErrShort)
	}
	next := at
	for _, p := range pieces {
		if p.at != next {
			break
		}
		next += int64(len(p.line))
	}
	if next != end || is.Size() > end {
		return fmt.Errorf("%s has records of another process: start again", file.Name())
	}
	if err := file.Truncate(at); err != nil {
		return err
	}
	for _, p := range pieces {
		if _, err := file.Write(p.line); err != nil {
			return err
		}
	}
	return nil
}

// FlushBy replaces how the journal syncs its file, for tests with disks that refuse; nil restores the
// default.
func (j *Journal) FlushBy(flush func(*os.File) error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.flush = flush; flush == nil {
		j.flush = (*os.File).Sync
	}
}
