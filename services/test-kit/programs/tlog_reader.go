// Reads a published log with the packages that Go's own checksum database is read with: golang.org/x/mod/sumdb/note opens
// the checkpoint, golang.org/x/mod/sumdb/tlog reads tiles and checks every proof. No code in common with the services.
//
// Usage: tlog-reader <root of the public address> <vkey> [<file of an older checkpoint>]. Prints the number of entries.
// Ends with status 1 and what is wrong.
package main

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

const (
	tileHeight    = 8 // C2SP tlog-tiles: 256 hashes a tile
	tileWidth     = 1 << tileHeight
	entryBytes    = 182
	answerBytes   = 1 << 20
	answerSeconds = 30
	servedProofs  = 100 // one of so many is asked for, and the last
)

var client = &http.Client{Timeout: answerSeconds * time.Second}

func get(address string) ([]byte, error) {
	answer, err := client.Get(address)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", address, answer.Status)
	}
	return io.ReadAll(io.LimitReader(answer.Body, answerBytes))
}

// c2spPath is a tile's path without the height, which C2SP fixes; -1 is the level of entries.
func c2spPath(tile tlog.Tile) string {
	path := strings.TrimPrefix(tile.Path(), fmt.Sprintf("tile/%d/", tileHeight))
	return "/tile/" + strings.Replace(path, "data/", "entries/", 1)
}

// tiles is a tlog.TileReader over HTTP. TileHashReader saves only tiles that it has checked against the root.
type tiles struct {
	url     string
	checked map[tlog.Tile][]byte
}

func (reader *tiles) Height() int { return tileHeight }

func (reader *tiles) ReadTiles(wanted []tlog.Tile) ([][]byte, error) {
	found := make([][]byte, len(wanted))
	for at, tile := range wanted {
		if known, ok := reader.checked[tile]; ok {
			found[at] = known
			continue
		}
		data, err := get(reader.url + c2spPath(tile))
		if err != nil {
			return nil, err
		}
		found[at] = data
	}
	return found, nil
}

func (reader *tiles) SaveTiles(saved []tlog.Tile, data [][]byte) {
	for at, tile := range saved {
		reader.checked[tile] = data[at]
	}
}

// openCheckpoint gives the tree that the key has signed.
func openCheckpoint(text []byte, vkey string) (tlog.Tree, error) {
	verifier, err := note.NewVerifier(vkey)
	if err != nil {
		return tlog.Tree{}, err
	}
	opened, err := note.Open(text, note.VerifierList(verifier))
	if err != nil {
		return tlog.Tree{}, fmt.Errorf("checkpoint: %w", err)
	}
	lines := strings.Split(opened.Text, "\n")
	if len(lines) < 4 || lines[0] != verifier.Name() {
		return tlog.Tree{}, fmt.Errorf("checkpoint: %q is not of %s", opened.Text, verifier.Name())
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	if err != nil {
		return tlog.Tree{}, fmt.Errorf("checkpoint: %w", err)
	}
	root, err := tlog.ParseHash(lines[2])
	if err != nil {
		return tlog.Tree{}, fmt.Errorf("checkpoint: %w", err)
	}
	return tlog.Tree{N: size, Hash: root}, nil
}

// readEntries gives the entries of C2SP's entry bundles: two bytes of length before each.
func readEntries(url string, size int64) ([][]byte, error) {
	var entries [][]byte
	for index := int64(0); index*tileWidth < size; index++ {
		width := size - index*tileWidth
		if width > tileWidth {
			width = tileWidth
		}
		tile := tlog.Tile{H: tileHeight, L: -1, N: index, W: int(width)}
		bundle, err := get(url + c2spPath(tile))
		if err != nil {
			return nil, err
		}
		for len(bundle) >= 2 && len(bundle) >= 2+int(binary.BigEndian.Uint16(bundle)) {
			end := 2 + int(binary.BigEndian.Uint16(bundle))
			entries = append(entries, bundle[2:end])
			bundle = bundle[end:]
		}
		if len(bundle) > 0 || int64(len(entries)) != index*tileWidth+width {
			return nil, fmt.Errorf("entries: %s is not %d entries", c2spPath(tile), width)
		}
	}
	return entries, nil
}

// checkRecords proves each entry by tiles, and each tree of checkpoints before the last.
func checkRecords(tree tlog.Tree, entries [][]byte, hashes tlog.HashReader) error {
	for number, entry := range entries {
		if len(entry) != entryBytes {
			return fmt.Errorf("entry %d: %d bytes", number, len(entry))
		}
		proof, err := tlog.ProveRecord(tree.N, int64(number), hashes)
		if err != nil {
			return fmt.Errorf("tiles: %w", err)
		}
		if err := tlog.CheckRecord(proof, tree.N, tree.Hash, int64(number), tlog.RecordHash(entry)); err != nil {
			return fmt.Errorf("entry %d: %w", number, err)
		}
		if err := checkOlder(tree, tlog.Tree{N: int64(number) + 1}, hashes); err != nil {
			return err
		}
	}
	return nil
}

// checkOlder shows that the log goes on from an older tree, whose root is taken from the tiles when it is not given.
func checkOlder(tree, older tlog.Tree, hashes tlog.HashReader) error {
	if older.Hash == (tlog.Hash{}) {
		root, err := tlog.TreeHash(older.N, hashes)
		if err != nil {
			return fmt.Errorf("tiles: %w", err)
		}
		older.Hash = root
	}
	proof, err := tlog.ProveTree(tree.N, older.N, hashes)
	if err != nil {
		return fmt.Errorf("tree of %d: %w", older.N, err)
	}
	if err := tlog.CheckTree(proof, tree.N, tree.Hash, older.N, older.Hash); err != nil {
		return fmt.Errorf("tree of %d: %w", older.N, err)
	}
	return nil
}

// checkServedProof checks `/batches/{n}/proof`, whose checkpoint may be of a later log than the one read here.
func checkServedProof(url, vkey string, number int, entry []byte) error {
	text, err := get(fmt.Sprintf("%s/batches/%d/proof", url, number))
	if err != nil {
		return err
	}
	head, checkpoint, _ := strings.Cut(string(text), "\n\n")
	tree, err := openCheckpoint([]byte(checkpoint), vkey)
	if err != nil {
		return fmt.Errorf("proof of %d: %w", number, err)
	}
	lines := strings.Split(head, "\n")
	expected := []string{
		"c2sp.org/tlog-proof@v1",
		"extra " + base64.StdEncoding.EncodeToString(entry),
		fmt.Sprintf("index %d", number),
	}
	if len(lines) < len(expected) || strings.Join(lines[:len(expected)], "\n") != strings.Join(expected, "\n") {
		return fmt.Errorf("proof of %d: begins with %q", number, head)
	}
	var proof tlog.RecordProof
	for _, line := range lines[len(expected):] {
		hash, err := tlog.ParseHash(line)
		if err != nil {
			return fmt.Errorf("proof of %d: %w", number, err)
		}
		proof = append(proof, hash)
	}
	if err := tlog.CheckRecord(proof, tree.N, tree.Hash, int64(number), tlog.RecordHash(entry)); err != nil {
		return fmt.Errorf("proof of %d: %w", number, err)
	}
	return nil
}

func run(url, vkey string, olderFiles []string) (int64, error) {
	text, err := get(url + "/checkpoint")
	if err != nil {
		return 0, err
	}
	tree, err := openCheckpoint(text, vkey)
	if err != nil {
		return 0, err
	}
	entries, err := readEntries(url, tree.N)
	if err != nil {
		return 0, err
	}
	hashes := tlog.TileHashReader(tree, &tiles{url, map[tlog.Tile][]byte{}})
	if err := checkRecords(tree, entries, hashes); err != nil {
		return 0, err
	}
	for number, entry := range entries {
		if number%servedProofs != 0 && number != len(entries)-1 {
			continue
		}
		if err := checkServedProof(url, vkey, number, entry); err != nil {
			return 0, err
		}
	}
	for _, file := range olderFiles {
		kept, err := os.ReadFile(file)
		if err != nil {
			return 0, err
		}
		older, err := openCheckpoint(kept, vkey)
		if err != nil {
			return 0, err
		}
		if err := checkOlder(tree, older, hashes); err != nil {
			return 0, err
		}
	}
	return tree.N, nil
}

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: tlog-reader <address> <vkey> [<file of an older checkpoint>]")
		os.Exit(2)
	}
	size, err := run(os.Args[1], os.Args[2], os.Args[3:])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(size)
}
