"""Links, work and difficulty of public block headers, from docs/formats.md ("Headers file") alone. Prints how many bits were calculated."""
import hashlib, json, sys

HIGHEST = 2**224 - 1


def double(data):
    return hashlib.sha256(hashlib.sha256(data).digest()).digest()


def target_of(bits):
    size, digits = bits >> 24, bits & 0x7FFFFF
    return digits << 8 * (size - 3) if size > 3 else digits >> 8 * (3 - size)


def bits_of(target):
    size = (target.bit_length() + 7) // 8
    digits = target >> 8 * (size - 3) if size > 3 else target << 8 * (3 - size)
    return (size + 1) << 24 | digits >> 8 if digits & 0x800000 else size << 24 | digits


def check(network, data):
    times, works, calculated = [], [], 0
    before = None

    def middle(at):
        three = [at - 2, at - 1, at]
        for left, right in ((0, 2), (0, 1), (1, 2)):
            if times[three[left]] > times[three[right]]:
                three[left], three[right] = three[right], three[left]
        return three[1]

    for number in range(len(data) // 80):
        header = data[80 * number:80 * number + 80]
        time, bits = int.from_bytes(header[68:72], "little"), int.from_bytes(header[72:76], "little")
        assert before in (None, header[4:36]), f"link {number}"
        assert int.from_bytes(double(header), "little") <= target_of(bits) <= HIGHEST, f"work {number}"
        if number >= 11:
            assert time > sorted(times[-11:])[5], f"time {number}"
        if network == "test" and number > 0 and time > times[-1] + 1200:
            assert bits == 0x1D00FFFF, f"late block {number}"
            calculated += 1
        elif number >= 147:
            first, last = middle(number - 145), middle(number - 1)
            seconds = min(172800, max(43200, times[last] - times[first]))
            work = sum(works[first + 1:last + 1]) * 600 // seconds
            assert bits == bits_of(min(HIGHEST, (2**256 - work) // work)), f"difficulty {number}"
            calculated += 1
        before = double(header)
        times.append(time)
        works.append(2**256 // (target_of(bits) + 1))
    return calculated


with open(sys.argv[1], encoding="utf-8") as file:
    recorded = json.load(file)
print(sum(check(network, bytes.fromhex(recorded[network]["headers"])) for network in ("main", "test")))
