"""The memory that the kernel writes records into."""
import ctypes
import mmap
import struct
import threading

_HEAD, _TAIL = 1024, 1032  # data_head, data_tail of struct perf_event_mmap_page


class Ring:
    def __init__(self, fd, pages, overwrite):
        if pages <= 0 or pages & (pages - 1):
            raise ValueError(f"mmap: {pages} pages are no power of two")
        self._page = mmap.PAGESIZE
        self._size = pages * self._page
        protection = mmap.PROT_READ | (0 if overwrite else mmap.PROT_WRITE)
        self._memory = mmap.mmap(fd, self._page + self._size, mmap.MAP_SHARED, protection)
        self._overwrite = overwrite
        # An aligned word is read and written atomically; the lock is the barrier between it and the records.
        self._barrier = threading.Lock()
        self._tail = ctypes.c_uint64.from_buffer(self._memory, _TAIL) if not overwrite else None
        self._head = ctypes.c_uint64.from_buffer(self._memory, _HEAD) if not overwrite else None
        self._position = 0

    def _written(self):
        head = self._head.value if self._head is not None else struct.unpack_from("=Q", self._memory, _HEAD)[0]
        with self._barrier:
            return head

    def next_record(self):
        """The bytes of the next record; None when there is none. The kernel may write there afterwards."""
        head, at = self._written(), self._position
        if self._overwrite and head - at > self._size:
            at = head  # overtaken: unread data is lost
        if at >= head:
            return None
        _, _, size = struct.unpack_from("=IHH", self._memory, self._page + at % self._size)
        size = max(size, 8)
        raw = self._bytes(at % self._size, size)
        self._position = at + size
        if self._tail is not None:
            with self._barrier:
                self._tail.value = self._position
        return raw

    def _bytes(self, start, size):
        first = min(size, self._size - start)
        memory, page = self._memory, self._page
        return memory[page + start:page + start + first] + memory[page:page + size - first]

    def close(self):
        self._head = self._tail = None
        self._memory.close()
