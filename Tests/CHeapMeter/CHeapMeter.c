/* Large blocks are mappings of their own, so that mincore(2) knows which of their pages were written. Between two
 * releases the written pages only become more, so the peak is found by counting before each release and at the end.
 *
 * For one thread. */
#define _GNU_SOURCE
#include "CHeapMeter.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#define LARGE_BYTES ((size_t)64 << 10)
#define PAGE_BYTES ((size_t)4096)
#define MAX_LARGE 4096

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static struct {
    char *start;
    size_t mapped;
} large[MAX_LARGE];
static size_t large_count;
static size_t small_bytes;
static size_t baseline, peak;

static size_t written(void) {
    static unsigned char pages[1 << 17];
    size_t sum = small_bytes;
    for (size_t i = 0; i < large_count; i++) {
        size_t count = large[i].mapped / PAGE_BYTES;
        for (size_t done = 0; done < count;) {
            size_t step = count - done < sizeof pages ? count - done : sizeof pages;
            if (mincore(large[i].start + done * PAGE_BYTES, step * PAGE_BYTES, pages)) __builtin_trap();
            for (size_t page = 0; page < step; page++)
                sum += (pages[page] & 1) * PAGE_BYTES;
            done += step;
        }
    }
    return sum;
}

static void note(void) {
    size_t now = written();
    if (now > peak) peak = now;
}

void heapmeter_begin(void) {
    baseline = peak = written();
}

size_t heapmeter_peak(void) {
    note();
    return peak - baseline;
}

static size_t round_up(size_t bytes) {
    return (bytes + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1);
}

static size_t index_of(const void *block) {
    if (((uintptr_t)block & (PAGE_BYTES - 1)) != 0) return SIZE_MAX;
    for (size_t i = 0; i < large_count; i++)
        if (large[i].start == block) return i;
    return SIZE_MAX;
}

/* Swift's arrays call this function. The implementation of the C library cannot be called, because this one replaces
 * it. The length of a small block precedes it; the lowest three bits of the length are flags. */
size_t malloc_usable_size(void *block) {
    if (!block) return 0;
    size_t i = index_of(block);
    if (i != SIZE_MAX) return large[i].mapped;
    size_t length;
    memcpy(&length, (char *)block - sizeof length, sizeof length);
    return (length & ~(size_t)7) - sizeof length;
}

static void *map(size_t bytes) {
    size_t mapped = round_up(bytes);
    void *start = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED || large_count == MAX_LARGE) __builtin_trap();
    madvise(start, mapped, MADV_NOHUGEPAGE);
    large[large_count].start = start;
    large[large_count++].mapped = mapped;
    return start;
}

void *malloc(size_t bytes) {
    if (bytes >= LARGE_BYTES) return map(bytes);
    void *block = __libc_malloc(bytes);
    small_bytes += malloc_usable_size(block);
    return block;
}

void free(void *block) {
    if (!block) return;
    size_t i = index_of(block);
    if (i == SIZE_MAX) {
        size_t before = small_bytes;
        small_bytes -= malloc_usable_size(block);
        /* Small blocks are added up, and counted every 4 KiB. */
        if (before / PAGE_BYTES != small_bytes / PAGE_BYTES && before > peak / 4) {
            small_bytes = before;
            note();
            small_bytes -= malloc_usable_size(block);
        }
        __libc_free(block);
        return;
    }
    note();
    munmap(large[i].start, large[i].mapped);
    large[i] = large[--large_count];
}

void *calloc(size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) return NULL;
    if (bytes >= LARGE_BYTES) return map(bytes);
    void *block = __libc_calloc(count, size);
    small_bytes += malloc_usable_size(block);
    return block;
}

void *realloc(void *block, size_t bytes) {
    if (!block) return malloc(bytes);
    size_t i = index_of(block);
    if (i == SIZE_MAX && bytes < LARGE_BYTES) {
        small_bytes -= malloc_usable_size(block);
        block = __libc_realloc(block, bytes);
        small_bytes += malloc_usable_size(block);
        return block;
    }
    if (i != SIZE_MAX && bytes >= LARGE_BYTES) {
        size_t mapped = round_up(bytes);
        if (mapped < large[i].mapped) note();
        void *moved = mremap(large[i].start, large[i].mapped, mapped, MREMAP_MAYMOVE);
        if (moved == MAP_FAILED) __builtin_trap();
        large[i].start = moved;
        large[i].mapped = mapped;
        return moved;
    }
    size_t kept = i == SIZE_MAX ? malloc_usable_size(block) : large[i].mapped;
    void *moved = malloc(bytes);
    memcpy(moved, block, kept < bytes ? kept : bytes);
    free(block);
    return moved;
}

void *memalign(size_t alignment, size_t bytes) {
    void *block = __libc_memalign(alignment, bytes);
    small_bytes += malloc_usable_size(block);
    return block;
}

void *aligned_alloc(size_t alignment, size_t bytes) {
    return memalign(alignment, bytes);
}

int posix_memalign(void **block, size_t alignment, size_t bytes) {
    *block = memalign(alignment, bytes);
    return *block ? 0 : ENOMEM;
}
