/* peregrine/mark.h: markers in programs (SDT, also called USDT), for C and C++ on x86-64, arm64 and riscv64.
 *
 *   PEREGRINE_MARK(shop, order, id, price);      up to 12 arguments: integers, enums, pointers, float, double
 *
 *   perf record -e 'sdt_shop:*' ./prog           records the hits with all arguments: arg1, arg2_double
 *   perf probe -x ./prog '%sdt_shop:order'       makes the marker a permanent tracepoint
 *
 * A marker is a nop instruction and a note in the section .note.stapsdt, which bpftrace, SystemTap, gdb and linux-perf
 * read, too. While nobody traces it, it costs the nop and the computation of its arguments, which are kept in
 * registers. Strings are passed as pointers. PEREGRINE_MARK_OFF removes all markers. This header includes no other one.
 */
#ifndef PEREGRINE_MARK_H
#define PEREGRINE_MARK_H

#if defined(PEREGRINE_MARK_OFF)
#define PEREGRINE_MARK(provider, ...) ((void)0)
#else

#if !defined(__x86_64__) && !defined(__aarch64__) && !(defined(__riscv) && __riscv_xlen == 64)
#error "peregrine/mark.h supports x86-64, arm64 and riscv64: define PEREGRINE_MARK_OFF elsewhere"
#elif defined(__ILP32__)
#error "peregrine/mark.h requires 64-bit pointers: define PEREGRINE_MARK_OFF"
#endif

/* PEREGRINE_MARK_BITS: the bits of an argument, after arrays became pointers and small integers int.
 * PEREGRINE_MARK_SIZE: its size in bytes, negative if it is signed, plus 100 if it is a floating-point number. */
#ifdef __cplusplus
namespace peregrine_mark {
template <class T>
T decayed(T value);
template <bool IsEnum, class T>
struct Number {
  typedef T Type;
};
template <class T>
struct Number<true, T> {
  typedef __underlying_type(T) Type;
};
template <class T>
struct Argument {
  typedef typename Number<__is_enum(T), T>::Type Type;
  static const int size =
      static_cast<Type>(-1) < static_cast<Type>(1) ? -static_cast<int>(sizeof(T)) : static_cast<int>(sizeof(T));
};
template <class T>
struct Argument<T*> {
  static const int size = 8;
};
template <>
struct Argument<float> {
  static const int size = 104;
};
template <>
struct Argument<double> {
  static const int size = 108;
};
template <class T>
inline __attribute__((always_inline)) unsigned long bits_of(T value) {
  typedef char MarkArgumentsHaveAtMost8Bytes[sizeof(T) <= 8 ? 1 : -1] __attribute__((unused));
  unsigned long bits = 0;
  __builtin_memcpy(&bits, &value, sizeof value);
  return bits;
}
}  // namespace peregrine_mark
#define PEREGRINE_MARK_BITS(x) ::peregrine_mark::bits_of(x)
#define PEREGRINE_MARK_SIZE(x) (::peregrine_mark::Argument<__decltype(::peregrine_mark::decayed(x))>::size)
#else
#define PEREGRINE_MARK_TYPE(x) __typeof__((x) + 0)
#define PEREGRINE_MARK_BITS(x)                                                                     \
  __extension__({                                                                                  \
    PEREGRINE_MARK_TYPE(x) peregrine_mark_value = (x);                                             \
    unsigned long peregrine_mark_bits = 0;                                                         \
    _Static_assert(sizeof peregrine_mark_value <= 8, "markers take arguments of at most 8 bytes"); \
    __builtin_memcpy(&peregrine_mark_bits, &peregrine_mark_value, sizeof peregrine_mark_value);    \
    peregrine_mark_bits;                                                                           \
  })
/* __builtin_classify_type: 1 is an integer, 8 a floating-point number. */
#define PEREGRINE_MARK_SIGNED(x) \
  (__builtin_classify_type((x) + 0) == 1 && (PEREGRINE_MARK_TYPE(x)) - 1 < (PEREGRINE_MARK_TYPE(x))1)
#define PEREGRINE_MARK_SIZE(x)                                                       \
  (__builtin_classify_type((x) + 0) == 8 ? 100 + (int)sizeof(PEREGRINE_MARK_TYPE(x)) \
   : PEREGRINE_MARK_SIGNED(x)            ? -(int)sizeof(PEREGRINE_MARK_TYPE(x))      \
                                         : (int)sizeof(PEREGRINE_MARK_TYPE(x)))
#endif

/* "SIZE@REGISTER", or "SIZEf@REGISTER" for a floating-point number. */
#define PEREGRINE_MARK_TEXT(n)                                                                \
  ".if %c[s" #n "] == 108\n.ascii \"8f\"\n.elseif %c[s" #n "] == 104\n.ascii \"4f\"\n.else\n" \
  ".ascii \"%c[s" #n "]\"\n.endif\n.ascii \"@%[a" #n "]\"\n"
#define PEREGRINE_MARK_NEXT(n) ".ascii \" \"\n" PEREGRINE_MARK_TEXT(n)
#define PEREGRINE_MARK_IN(n, x) [s##n] "n"(PEREGRINE_MARK_SIZE(x)), [a##n] "nr"(PEREGRINE_MARK_BITS(x))

/* The note: its header, the addresses of the marker and of .stapsdt.base, no semaphore, and three strings. */
#define PEREGRINE_MARK_NOTE(provider, name, texts, ...)                                                   \
  __asm__ __volatile__(                                                                                   \
      "990: nop\n.pushsection .note.stapsdt,\"?\",\"note\"\n.balign 4\n.4byte 992f-991f, 994f-993f, 3\n"  \
      "991: .asciz \"stapsdt\"\n992: .balign 4\n993: .8byte 990b, _.stapsdt.base, 0\n"                    \
      ".asciz \"" #provider "\"\n.asciz \"" #name "\"\n" texts ".byte 0\n994: .balign 4\n.popsection\n"   \
      ".ifndef _.stapsdt.base\n.pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n"     \
      ".weak _.stapsdt.base\n.hidden _.stapsdt.base\n_.stapsdt.base: .space 1\n.size _.stapsdt.base, 1\n" \
      ".popsection\n.endif\n" ::__VA_ARGS__)

#define PEREGRINE_MARK_0(p, n) PEREGRINE_MARK_NOTE(p, n, "")
#define PEREGRINE_MARK_1(p, n, x1) PEREGRINE_MARK_NOTE(p, n, PEREGRINE_MARK_TEXT(1), PEREGRINE_MARK_IN(1, x1))
#define PEREGRINE_MARK_TEXTS_2 PEREGRINE_MARK_TEXT(1) PEREGRINE_MARK_NEXT(2)
#define PEREGRINE_MARK_INS_2(x1, x2) PEREGRINE_MARK_IN(1, x1), PEREGRINE_MARK_IN(2, x2)
#define PEREGRINE_MARK_2(p, n, x1, x2) PEREGRINE_MARK_NOTE(p, n, PEREGRINE_MARK_TEXTS_2, PEREGRINE_MARK_INS_2(x1, x2))
#define PEREGRINE_MARK_TEXTS_3 PEREGRINE_MARK_TEXTS_2 PEREGRINE_MARK_NEXT(3)
#define PEREGRINE_MARK_INS_3(x1, x2, x3) PEREGRINE_MARK_INS_2(x1, x2), PEREGRINE_MARK_IN(3, x3)
#define PEREGRINE_MARK_3(p, n, x1, x2, x3) \
  PEREGRINE_MARK_NOTE(p, n, PEREGRINE_MARK_TEXTS_3, PEREGRINE_MARK_INS_3(x1, x2, x3))
#define PEREGRINE_MARK_TEXTS_4 PEREGRINE_MARK_TEXTS_3 PEREGRINE_MARK_NEXT(4)
#define PEREGRINE_MARK_INS_4(x1, x2, x3, x4) PEREGRINE_MARK_INS_3(x1, x2, x3), PEREGRINE_MARK_IN(4, x4)
#define PEREGRINE_MARK_4(p, n, x1, x2, x3, x4) \
  PEREGRINE_MARK_NOTE(p, n, PEREGRINE_MARK_TEXTS_4, PEREGRINE_MARK_INS_4(x1, x2, x3, x4))
#define PEREGRINE_MARK_TEXTS_5 PEREGRINE_MARK_TEXTS_4 PEREGRINE_MARK_NEXT(5)
#define PEREGRINE_MARK_INS_5(x1, x2, x3, x4, x5) PEREGRINE_MARK_INS_4(x1, x2, x3, x4), PEREGRINE_MARK_IN(5, x5)
#define PEREGRINE_MARK_5(p, n, x1, x2, x3, x4, x5) \
  PEREGRINE_MARK_NOTE(p, n, PEREGRINE_MARK_TEXTS_5, PEREGRINE_MARK_INS_5(x1, x2, x3, x4, x5))
#define PEREGRINE_MARK_TEXTS_6 PEREGRINE_MARK_TEXTS_5 PEREGRINE_MARK_NEXT(6)
#define PEREGRINE_MARK_INS_6(x1, x2, x3, x4, x5, x6) PEREGRINE_MARK_INS_5(x1, x2, x3, x4, x5), PEREGRINE_MARK_IN(6, x6)
#define PEREGRINE_MARK_6(p, n, x1, x2, x3, x4, x5, x6) \
  PEREGRINE_MARK_NOTE(p, n, PEREGRINE_MARK_TEXTS_6, PEREGRINE_MARK_INS_6(x1, x2, x3, x4, x5, x6))
#define PEREGRINE_MARK_TEXTS_7 PEREGRINE_MARK_TEXTS_6 PEREGRINE_MARK_NEXT(7)
#define PEREGRINE_MARK_INS_7(x1, x2, x3, x4, x5, x6, x7) \
  PEREGRINE_MARK_INS_6(x1, x2, x3, x4, x5, x6), PEREGRINE_MARK_IN(7, x7)
#define PEREGRINE_MARK_7(p, n, x1, x2, x3, x4, x5, x6, x7) \
  PEREGRINE_MARK_NOTE(p, n, PEREGRINE_MARK_TEXTS_7, PEREGRINE_MARK_INS_7(x1, x2, x3, x4, x5, x6, x7))
#define PEREGRINE_MARK_TEXTS_8 PEREGRINE_MARK_TEXTS_7 PEREGRINE_MARK_NEXT(8)
#define PEREGRINE_MARK_INS_8(x1, x2, x3, x4, x5, x6, x7, x8) \
  PEREGRINE_MARK_INS_7(x1, x2, x3, x4, x5, x6, x7), PEREGRINE_MARK_IN(8, x8)
#define PEREGRINE_MARK_8(p, n, x1, x2, x3, x4, x5, x6, x7, x8) \
  PEREGRINE_MARK_NOTE(p, n, PEREGRINE_MARK_TEXTS_8, PEREGRINE_MARK_INS_8(x1, x2, x3, x4, x5, x6, x7, x8))
#define PEREGRINE_MARK_TEXTS_9 PEREGRINE_MARK_TEXTS_8 PEREGRINE_MARK_NEXT(9)
#define PEREGRINE_MARK_INS_9(x1, x2, x3, x4, x5, x6, x7, x8, x9) \
  PEREGRINE_MARK_INS_8(x1, x2, x3, x4, x5, x6, x7, x8), PEREGRINE_MARK_IN(9, x9)
#define PEREGRINE_MARK_9(p, n, x1, x2, x3, x4, x5, x6, x7, x8, x9) \
  PEREGRINE_MARK_NOTE(p, n, PEREGRINE_MARK_TEXTS_9, PEREGRINE_MARK_INS_9(x1, x2, x3, x4, x5, x6, x7, x8, x9))
#define PEREGRINE_MARK_TEXTS_10 PEREGRINE_MARK_TEXTS_9 PEREGRINE_MARK_NEXT(10)
#define PEREGRINE_MARK_INS_10(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10) \
  PEREGRINE_MARK_INS_9(x1, x2, x3, x4, x5, x6, x7, x8, x9), PEREGRINE_MARK_IN(10, x10)
#define PEREGRINE_MARK_10(p, n, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10) \
  PEREGRINE_MARK_NOTE(p, n, PEREGRINE_MARK_TEXTS_10, PEREGRINE_MARK_INS_10(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10))
#define PEREGRINE_MARK_TEXTS_11 PEREGRINE_MARK_TEXTS_10 PEREGRINE_MARK_NEXT(11)
#define PEREGRINE_MARK_INS_11(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11) \
  PEREGRINE_MARK_INS_10(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10), PEREGRINE_MARK_IN(11, x11)
#define PEREGRINE_MARK_11(p, n, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11) \
  PEREGRINE_MARK_NOTE(p, n, PEREGRINE_MARK_TEXTS_11,                          \
                      PEREGRINE_MARK_INS_11(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11))
#define PEREGRINE_MARK_TEXTS_12 PEREGRINE_MARK_TEXTS_11 PEREGRINE_MARK_NEXT(12)
#define PEREGRINE_MARK_INS_12(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12) \
  PEREGRINE_MARK_INS_11(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11), PEREGRINE_MARK_IN(12, x12)
#define PEREGRINE_MARK_12(p, n, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12) \
  PEREGRINE_MARK_NOTE(p, n, PEREGRINE_MARK_TEXTS_12,                               \
                      PEREGRINE_MARK_INS_12(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12))

/* The number of arguments behind the marker's name. */
#define PEREGRINE_MARK_NTH(name, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, count, ...) count
#define PEREGRINE_MARK_COUNT(...) PEREGRINE_MARK_NTH(__VA_ARGS__, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0)
#define PEREGRINE_MARK_CALL_N(count, ...) PEREGRINE_MARK_##count(__VA_ARGS__)
#define PEREGRINE_MARK_CALL(count, ...) PEREGRINE_MARK_CALL_N(count, __VA_ARGS__)
#define PEREGRINE_MARK(provider, ...) PEREGRINE_MARK_CALL(PEREGRINE_MARK_COUNT(__VA_ARGS__), provider, __VA_ARGS__)

#endif
#endif
